package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.CmLayout.*;

import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import java.net.InetSocketAddress;

/** Connection request of a peer. Its id moves to the event channel of the accepting endpoint's completion queue. */
final class CmRequest implements ConnectionRequest {
  private final CmListener listener;
  private final boolean iwarp;
  private final CmEvent event;
  private final EndpointAddress remote;
  private CmConnection connection;
  private VerbsEndpoint endpoint;
  private boolean answered;
  private volatile boolean cancelled;

  CmRequest(CmListener listener, CmEvent event) {
    this.listener = listener;
    iwarp = listener.domain.device().attributes.iwarp();
    this.event = event;
    InetSocketAddress address = SocketAddresses.read(event.id() + ID_DESTINATION, SocketAddresses.ROOM);
    remote = address == null ? null : EndpointAddress.of(address);
  }

  @Override
  public byte[] privateData() {
    return CmPrivateData.received(event.privateData(), iwarp);
  }

  @Override
  public EndpointAddress remoteAddress() {
    return remote;
  }

  @Override
  public synchronized Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    if (answered || endpoint != null) {
      throw new IllegalStateException("the connection request of " + remote + " already has an endpoint or was already answered");
    }
    if (cancelled) {
      throw new ProviderException(ProviderException.Reason.DISCONNECTED, remote + " closed its connection request before it was accepted");
    }
    VerbsEndpoint made = new VerbsEndpoint(listener.domain, listener.domain.own(queue), options, handler, false);
    CmConnection taking = new CmConnection(made);
    made.connection = taking;
    try {
      taking.request(event.id(), listener.channel, event);
    } catch (ProviderException e) {
      made.close();
      throw e;
    }
    listener.answered(this);
    connection = taking;
    endpoint = made;
    return made;
  }

  @Override
  public synchronized void accept(byte[] privateData) {
    if (answered || endpoint == null) {
      throw new IllegalStateException("cannot accept the connection request of " + remote + ": it has no endpoint, or was already "
        + "answered");
    }
    listener.domain.checkPrivateData(privateData);
    if (endpoint.state() == EndpointState.CLOSED) {
      throw new IllegalStateException("cannot accept the connection request of " + remote + ": its endpoint is closed. Reject the "
        + "request");
    }
    answered = true;
    connection.accept(privateData, event);
  }

  @Override
  public synchronized void reject(byte[] privateData) {
    if (answered) {
      throw new IllegalStateException("the connection request of " + remote + " was already answered");
    }
    listener.domain.checkPrivateData(privateData);
    if (endpoint == null) {
      refuse(privateData);
      return;
    }
    answered = true;
    if (connection.id != 0) {
      send(privateData);
    }
    // Without an id there is nothing to reject: its destruction has notified the peer.
    endpoint.close();
  }

  private void refuse(byte[] privateData) {
    answered = true;
    send(privateData);
    listener.answered(this);
    listener.channel.destroyId(event.id());
  }

  private void send(byte[] privateData) {
    byte[] data = CmPrivateData.sent(privateData, iwarp);
    try (Scratch memory = Scratch.of(data.length)) {
      Memory.putBytes(memory.address(), data);
      Calls.number(listener.domain.cm().reject, event.id(), data.length == 0 ? 0 : memory.address(), data.length);
    }
  }

  synchronized void abandon() {
    if (!answered && endpoint == null) {
      refuse(CmPrivateData.NONE);
    }
  }

  /** Called if the peer cancels its request before it has an endpoint. */
  void cancelled() {
    cancelled = true;
  }
}
