package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Passive endpoint (fi_passive_ep). Its close rejects unanswered requests, and resets accepted sockets without a request. */
final class MsgListener implements Listener, EventQueue.Sink {
  private static final System.Logger LOG = System.getLogger(MsgListener.class.getName());
  /**
   * Maximum number of polls during close, which find connections that the library has just accepted. These are reset, because the library
   * would otherwise read freed memory.
   */
  private static final int MOST_LOOKS = 10_000;

  private enum State { LISTENING, CLOSING, CLOSED }

  final MsgDomain domain;
  final FabricCompletionQueue queue;
  private final ListenHandler handler;
  private final Fid pep;
  private final EndpointAddress address;
  /** Unanswered requests. The set is synchronized, because threads of other queues may answer them. */
  private final Set<MsgConnectionRequest> unanswered = Collections.synchronizedSet(new LinkedHashSet<>());
  /** Null if the event queue has no fd, or the address is not an IP address. */
  private final SilentConnections silent;
  private volatile State state = State.LISTENING;
  private boolean failureLogged;

  MsgListener(MsgDomain domain, FabricCompletionQueue queue, EndpointAddress local, ListenHandler handler) {
    this.domain = domain;
    this.queue = queue;
    this.handler = handler;
    Libfabric library = domain.library;
    EndpointAddress wanted = local == null ? domain.device().info.source() : local;
    String what = domain.device().name() + ": listening on " + (wanted == null ? "any address" : wanted);
    Fid opened = null;
    try (FiInfo info = domain.device().info.copy().source(wanted)) {
      opened = passiveEndpoint(library, info, what);
      FabricErrors.check(library, opened.bind(queue.events.fid, 0), what);
      FabricErrors.check(library, Calls.number(opened.require(library, Structs.PEP_CM, Structs.CM_LISTEN, what), opened.address()), what);
      EndpointAddress name = domain.nameOf(opened, Structs.PEP_CM, info.addressFormat());
      address = name == null ? wanted : name;
    } catch (RuntimeException e) {
      if (opened != null) {
        opened.close();
      }
      throw e;
    }
    pep = opened;
    silent = isWatched() ? new SilentConnections(queue.events.fd, address.toInet().getPort()) : null;
    queue.listeners.add(this);
    queue.events.add(pep, this);
    queue.members.add(this);
  }

  private Fid passiveEndpoint(Libfabric library, FiInfo info, String what) {
    long function = domain.fabric.require(library, Structs.FABRIC_OPS, Structs.FABRIC_PASSIVE_EP, what);
    try (Scratch out = Scratch.of(8)) {
      FabricErrors.check(library, Calls.number(function, domain.fabric.address(), info.address(), out.address(), 0), what);
      return new Fid("listener", Memory.getLong(out.address()), domain.fabric, queue.events.fid);
    }
  }

  @Override
  public void event(int event, long info, byte[] data) {
    if (event == Fi.CONNREQ) {
      MsgConnectionRequest request = new MsgConnectionRequest(this, new FiInfo(domain.library, info), data);
      unanswered.add(request);
      if (state == State.LISTENING) {
        handler.connectionRequest(request);
      }
    }
  }

  void poll(long now) {
    if (silent != null) {
      silent.poll(now);
    }
  }

  @Override
  public void failed(int errno, String words, byte[] data) {
    // Peers may cause such errors, so only the first one is logged.
    if (!failureLogged) {
      failureLogged = true;
      LOG.log(System.Logger.Level.WARNING, domain.device().name() + ": the listener on " + address + " reports an error: " + words);
    }
  }

  void answered(MsgConnectionRequest request) {
    unanswered.remove(request);
  }

  /** Sends one byte more than the application's data, because a refusal without data means that no process listens. */
  void reject(long handle, byte[] privateData) {
    long function = pep.function(Structs.PEP_CM, Structs.CM_REJECT);
    if (function != 0 && state != State.CLOSED) {
      long data = Memory.allocate(privateData.length + 1L);
      Memory.putBytes(data, privateData);
      Calls.number(function, pep.address(), handle, data, privateData.length + 1);
      Memory.free(data);
    }
  }

  /** Returns the application's data of a rejection, without the added byte. */
  static byte[] reason(byte[] received) {
    return Arrays.copyOf(received, received.length - 1);
  }

  @Override
  public EndpointAddress localAddress() {
    return address;
  }

  @Override
  public void close() {
    if (state != State.LISTENING) {
      return;
    }
    state = State.CLOSING;
    int looks = 0;
    do {
      queue.events.poll(pep);
    } while (resetsAccepted() && ++looks < MOST_LOOKS);
    for (MsgConnectionRequest request : unanswered.toArray(MsgConnectionRequest[]::new)) {
      request.abandon();
    }
    queue.members.remove(this);
    queue.listeners.remove(this);
    state = State.CLOSED;
    queue.events.remove(pep);
    pep.close();
  }

  private boolean resetsAccepted() {
    if (!isWatched()) {
      return false;
    }
    List<WatchedSocket> accepted = WatchedSocket.withoutRequest(queue.events.fd, address.toInet().getPort());
    accepted.forEach(WatchedSocket::reset);
    return !accepted.isEmpty();
  }

  private boolean isWatched() {
    return queue.events.fd >= 0 && address != null && address.format().equals(EndpointAddress.INET);
  }
}
