package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;

/** A REQ that waits for an answer on the listener's thread. */
final class RdmConnectionRequest implements ConnectionRequest {
  private final ConnectedQueue queue;
  private final RdmListener listener;
  private final ControlMessage req;
  /** Time of its last repetition. */
  long lastHeard;
  private ConnectedEndpoint endpoint;
  boolean answered;

  RdmConnectionRequest(ConnectedQueue queue, RdmListener listener, ControlMessage req, long now) {
    this.queue = queue;
    this.listener = listener;
    this.req = req;
    lastHeard = now;
  }

  @Override
  public byte[] privateData() {
    return req.privateData().clone();
  }

  @Override
  public EndpointAddress remoteAddress() {
    return req.address();
  }

  @Override
  public Endpoint createEndpoint(CompletionQueue on, EndpointOptions options, EndpointHandler handler) {
    if (on != queue) {
      throw queue.domain.invalid("a connection request must be accepted on the completion queue of its listener, since its endpoint is "
        + "the one the peer talks to");
    }
    if (endpoint != null) {
      throw new IllegalStateException(queue.domain.name() + ": the connection request of " + req.address()
        + " has its endpoint already");
    }
    endpoint = (ConnectedEndpoint) queue.createEndpoint(options, handler);
    return endpoint;
  }

  @Override
  public void accept(byte[] privateData) {
    if (endpoint == null) {
      throw new IllegalStateException(queue.domain.name() + ": accept needs an endpoint: call createEndpoint first");
    }
    queue.domain.checkPrivateData(privateData);
    endpoint.connection.checkNew("accept of ", req.address());
    answer();
    try {
      endpoint.connection.accept(req, listener.options.connectTimeoutMillis(), privateData);
    } catch (ProviderException e) {
      // No room, or no raw endpoint.
      queue.connections.requests.rejected(req, ControlMessage.NOTHING);
      endpoint.connection.fail(e, false);
    }
  }

  @Override
  public void reject(byte[] privateData) {
    queue.domain.checkPrivateData(privateData);
    answer();
    queue.connections.requests.rejected(req, privateData.clone());
  }

  private void answer() {
    if (answered) {
      throw new IllegalStateException(queue.domain.name() + ": the connection request of " + req.address() + " was answered before");
    }
    answered = true;
  }

  void abandon() {
    if (!answered) {
      reject(ControlMessage.NOTHING);
    }
  }
}
