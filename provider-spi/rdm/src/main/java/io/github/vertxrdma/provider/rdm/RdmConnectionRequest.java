package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;

/** A REQ that waits for an answer. Answered on the listener's thread. */
final class RdmConnectionRequest implements ConnectionRequest {
  private final ConnectedQueue queue;
  private final RdmListener listener;
  private final Peer peer;
  private final ControlMessage req;
  private ConnectedEndpoint endpoint;
  private boolean answered;

  RdmConnectionRequest(ConnectedQueue queue, RdmListener listener, Peer peer, ControlMessage req) {
    this.queue = queue;
    this.listener = listener;
    this.peer = peer;
    this.req = req;
  }

  long reqId() {
    return req.sender();
  }

  Peer peer() {
    return peer;
  }

  boolean isAnswered() {
    return answered;
  }

  @Override
  public byte[] privateData() {
    return req.privateData().clone();
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
    endpoint = (ConnectedEndpoint) queue.createEndpoint(options, handler);
    return endpoint;
  }

  @Override
  public void accept(byte[] privateData) {
    if (endpoint == null) {
      throw new IllegalStateException(queue.domain().name() + ": accept needs an endpoint: call createEndpoint first");
    }
    queue.domain().checkPrivateData(privateData);
    answer();
    endpoint.connection().accept(peer, req, listener.options().connectTimeoutMillis(), privateData);
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
    queue.connections().answered(this, new ControlMessage(ControlMessage.REJ, req.sender(), 0, queue.shared().epoch(), 0, null,
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
