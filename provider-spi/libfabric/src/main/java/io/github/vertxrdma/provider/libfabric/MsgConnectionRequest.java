package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import java.util.Objects;

/** Connection request (FI_CONNREQ). Answered on the thread of the listener's completion queue or of another one. */
final class MsgConnectionRequest implements ConnectionRequest {
  private final MsgListener listener;
  private final FiInfo info;
  private final byte[] data;
  private final EndpointAddress remote;
  private MsgEndpoint endpoint;
  private boolean answered;

  MsgConnectionRequest(MsgListener listener, FiInfo info, byte[] data) {
    this.listener = listener;
    this.info = info;
    this.data = data;
    remote = info.destination();
  }

  @Override
  public byte[] privateData() {
    return data.clone();
  }

  @Override
  public EndpointAddress remoteAddress() {
    return remote;
  }

  @Override
  public synchronized Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    if (answered || endpoint != null) {
      throw new IllegalStateException("the connection request of " + remote + " already has an endpoint, or was already answered");
    }
    MsgDomain domain = listener.domain;
    endpoint = new MsgEndpoint(domain, domain.own(queue), info, options, Objects.requireNonNull(handler));
    endpoint.requestedBy(remote);
    return endpoint;
  }

  @Override
  public synchronized void accept(byte[] privateData) {
    if (answered || endpoint == null) {
      throw new IllegalStateException("the connection request of " + remote + (answered ? " was already answered" : " has no "
        + "endpoint yet"));
    }
    listener.domain.checkPrivateData(privateData);
    if (endpoint.state() != EndpointState.INIT) {
      throw new IllegalStateException("the connection request cannot be accepted: " + endpoint + " is in state "
        + endpoint.state() + ". Reject the request");
    }
    answered = true;
    try {
      endpoint.accept(privateData);
    } finally {
      release();
    }
  }

  @Override
  public synchronized void reject(byte[] privateData) {
    if (answered) {
      throw new IllegalStateException("the connection request of " + remote + " was already answered");
    }
    listener.domain.checkPrivateData(privateData);
    end(privateData);
  }

  private void end(byte[] privateData) {
    answered = true;
    try {
      long handle = info.handle();
      if (handle != 0) {
        listener.reject(handle, privateData);
      } else if (endpoint != null) {
        // fi_reject(3) is impossible once an endpoint owns the connection, so the close of the endpoint ends it.
        endpoint.close();
      }
    } finally {
      release();
    }
  }

  /**
   * Rejects the request because the listener closes. Keeps a request whose endpoint is on another queue, because that queue's thread uses
   * it.
   */
  synchronized void abandon() {
    if (!answered && (endpoint == null || endpoint.completionQueue() == listener.queue)) {
      end(new byte[0]);
    }
  }

  private void release() {
    info.close();
    listener.answered(this);
  }
}
