package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;

/** Connection request (REQ) of a peer, answered on the listener's thread. */
final class RdmConnectionRequest implements ConnectionRequest {
  private final ConnectedQueue queue;
  private final RdmListener listener;
  private final ControlMessage req;
  /** Time of the REQ's last repetition. */
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
      throw queue.domain.invalid("a connection request must be accepted with the completion queue of its listener, whose endpoint "
        + "the peer uses");
    }
    if (endpoint != null) {
      throw new IllegalStateException(queue.domain.name() + ": the connection request of " + req.address() + " already has an endpoint");
    }
    endpoint = (ConnectedEndpoint) queue.createEndpoint(options, handler);
    return endpoint;
  }

  @Override
  public void accept(byte[] privateData) {
    if (endpoint == null) {
      throw new IllegalStateException(queue.domain.name() + ": a connection request cannot be accepted without an endpoint. Call "
        + "createEndpoint first");
    }
    queue.domain.checkPrivateData(privateData);
    endpoint.connection.checkNew("accept ", req.address());
    answer();
    try {
      endpoint.connection.accept(req, listener.options.connectTimeoutMillis(), privateData);
    } catch (ProviderException e) {
      // There is no room for another connection, or no RDM endpoint.
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
      throw new IllegalStateException(queue.domain.name() + ": the connection request of " + req.address() + " was already accepted "
        + "or rejected");
    }
    answered = true;
  }

  void abandon() {
    if (!answered) {
      reject(ControlMessage.NOTHING);
    }
  }
}
