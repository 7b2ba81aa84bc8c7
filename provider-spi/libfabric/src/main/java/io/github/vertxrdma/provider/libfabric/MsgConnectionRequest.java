package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import java.util.Objects;

/** A connection request (FI_CONNREQ); owns its fi_info until it is answered, on the listener's thread or that of another queue. */
final class MsgConnectionRequest implements ConnectionRequest {
  private final MsgListener listener;
  private final FabricInfo info;
  private final PrivateData data;
  private final EndpointAddress remote;
  private final Thread listening = Thread.currentThread();
  private MsgEndpoint endpoint;
  private boolean answered;

  MsgConnectionRequest(MsgListener listener, FabricInfo info, byte[] data) {
    this.listener = listener;
    this.info = info;
    this.data = PrivateData.decode(data, listener.domain().tagsImmediates());
    remote = info.destination();
  }

  @Override
  public byte[] privateData() {
    return data.bytes().clone();
  }

  @Override
  public EndpointAddress remoteAddress() {
    return remote;
  }

  @Override
  public synchronized Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    if (answered || endpoint != null) {
      throw new IllegalStateException("the request of " + remote + " has an endpoint, or was answered");
    }
    MsgDomain domain = listener.domain();
    endpoint = new MsgEndpoint(domain, domain.own(queue), info, options, Objects.requireNonNull(handler));
    endpoint.requestedBy(remote, data.tag());
    return endpoint;
  }

  @Override
  public synchronized void accept(byte[] privateData) {
    if (answered || endpoint == null) {
      throw new IllegalStateException("the request of " + remote + (answered ? " was answered" : " has no endpoint yet"));
    }
    listener.domain().checkPrivateData(privateData);
    if (endpoint.state() != EndpointState.INIT) {
      throw new IllegalStateException(endpoint + " cannot be accepted, it is " + endpoint.state() + ": reject the request");
    }
    answered = true;
    try {
      endpoint.accept(privateData);
    } finally {
      over();
    }
  }

  @Override
  public synchronized void reject(byte[] privateData) {
    if (answered) {
      throw new IllegalStateException("the request of " + remote + " was answered");
    }
    listener.domain().checkPrivateData(privateData);
    end(privateData, Thread.currentThread() == listening);
  }

  /** @param here whether the listener's queue is the caller's */
  private void end(byte[] privateData, boolean here) {
    answered = true;
    try {
      sayNo(privateData, here);
    } finally {
      over();
    }
  }

  private void sayNo(byte[] privateData, boolean here) {
    MsgDomain domain = listener.domain();
    long handle = info.handle();
    if (handle == 0 && (endpoint == null || endpoint.isOver())) {
      // An endpoint took the connection over and is closed, or could not be made: with it the connection is, and the peer has heard.
      return;
    }
    if (handle != 0 && (!domain.rejectsByAccepting() || !here)) {
      // With a trailer even an empty reason has bytes, which tells a reject from a port that nobody listens on.
      listener.reject(handle, PrivateData.encode(privateData, domain.tagsImmediates() ? PrivateData.REJECT : 0));
    } else {
      rejectByAccepting(privateData);
    }
  }

  /** The listener closes, and maybe its queue. An endpoint of another queue is that thread's, and the connection ends with it. */
  synchronized void abandon() {
    if (!answered && (endpoint == null || endpoint.completionQueue() == listener.queue())) {
      end(new byte[0], true);
    }
  }

  private void rejectByAccepting(byte[] privateData) {
    try {
      if (endpoint == null) {
        endpoint = new MsgEndpoint(listener.domain(), listener.queue(), info, new EndpointOptions(), new Silent());
        endpoint.requestedBy(remote, 0);
      }
      endpoint.reject(privateData);
    } catch (ProviderException e) {
      // The peer is gone, or there is no more room: it learns by the connection's end.
      if (endpoint != null) {
        endpoint.close();
      }
    }
  }

  /** Of an endpoint that exists to say no. */
  private static final class Silent implements EndpointHandler {
    @Override
    public void connected(Endpoint endpoint, byte[] privateData) {
      // It does not get that far.
    }

    @Override
    public void disconnected(Endpoint endpoint, ProviderException cause) {
      // Nobody waits for it.
    }
  }

  /** The listener, which waits for nothing of it any more, may close from here on. */
  private void over() {
    info.close();
    listener.answered(this);
  }
}
