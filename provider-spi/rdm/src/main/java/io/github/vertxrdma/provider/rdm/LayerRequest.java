package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;

/** A HELLO that waits for an answer. Answered on the listener's thread. */
final class LayerRequest implements ConnectionRequest {
  private final LayerQueue queue;
  private final LayerListener listener;
  private final Peer peer;
  private final ControlMessage hello;
  private LayerEndpoint endpoint;
  private boolean answered;

  LayerRequest(LayerQueue queue, LayerListener listener, Peer peer, ControlMessage hello) {
    this.queue = queue;
    this.listener = listener;
    this.peer = peer;
    this.hello = hello;
  }

  long helloId() {
    return hello.sender();
  }

  Peer peer() {
    return peer;
  }

  boolean isAnswered() {
    return answered;
  }

  @Override
  public byte[] privateData() {
    return hello.privateData().clone();
  }

  @Override
  public EndpointAddress remoteAddress() {
    return peer.address();
  }

  @Override
  public Endpoint createEndpoint(CompletionQueue on, EndpointOptions options, EndpointHandler handler) {
    if (on != queue) {
      throw queue.domain().invalid("a connection request must be accepted on the completion queue of its listener, since its endpoint is "
        + "the one the peer talks to");
    }
    if (endpoint != null) {
      throw new IllegalStateException(queue.domain().name() + ": the connection request of " + peer.address()
        + " has its endpoint already");
    }
    endpoint = (LayerEndpoint) queue.createEndpoint(options, handler);
    return endpoint;
  }

  @Override
  public void accept(byte[] privateData) {
    if (endpoint == null) {
      throw new IllegalStateException(queue.domain().name() + ": accept needs an endpoint: call createEndpoint first");
    }
    queue.domain().checkPrivateData(privateData);
    answer();
    endpoint.link().accept(peer, hello, listener.options().connectTimeoutMillis(), privateData);
  }

  @Override
  public void reject(byte[] privateData) {
    queue.domain().checkPrivateData(privateData);
    answer();
    reply(privateData);
  }

  private void answer() {
    if (answered) {
      throw new IllegalStateException(queue.domain().name() + ": the connection request of " + peer.address() + " was answered before");
    }
    answered = true;
  }

  private void reply(byte[] privateData) {
    queue.connections().answered(this, new ControlMessage(ControlMessage.REJECT, hello.sender(), 0, queue.mux().epoch(), 0, null,
      privateData.clone()));
  }

  /** The listener closes. */
  void abandon() {
    if (!answered) {
      answered = true;
      reply(ControlMessage.NOTHING);
    }
  }
}
