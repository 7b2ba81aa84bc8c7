package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import java.util.List;

final class RdmListener implements Listener {
  private final ConnectedQueue queue;
  private final EndpointAddress localAddress;
  final EndpointOptions options;
  private final ListenHandler handler;
  private boolean closed;

  RdmListener(ConnectedQueue queue, EndpointAddress localAddress, EndpointOptions options, ListenHandler handler) {
    this.queue = queue;
    this.localAddress = localAddress;
    this.options = options;
    this.handler = handler;
  }

  @Override
  public EndpointAddress localAddress() {
    return localAddress;
  }

  void deliver(RdmConnectionRequest request) {
    if (!closed && !request.answered) {
      handler.connectionRequest(request);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    List.copyOf(queue.connections.requests.open.values()).forEach(RdmConnectionRequest::abandon);
    queue.listener = null;
  }
}
