package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;

/** Whoever answers HELLOs on a completion queue. */
final class LayerListener implements Listener {
  private final LayerQueue queue;
  private final EndpointAddress localAddress;
  private final EndpointOptions options;
  private final ListenHandler handler;
  private boolean closed;

  LayerListener(LayerQueue queue, EndpointAddress localAddress, EndpointOptions options, ListenHandler handler) {
    this.queue = queue;
    this.localAddress = localAddress;
    this.options = options;
    this.handler = handler;
  }

  EndpointOptions options() {
    return options;
  }

  @Override
  public EndpointAddress localAddress() {
    return localAddress;
  }

  void deliver(LayerRequest request) {
    if (!closed && !request.isAnswered()) {
      handler.connectionRequest(request);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    queue.connections().openRequests().forEach(LayerRequest::abandon);
    queue.forget(this);
  }
}
