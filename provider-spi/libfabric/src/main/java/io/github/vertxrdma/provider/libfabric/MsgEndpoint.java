package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.AbstractEndpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

final class MsgEndpoint extends AbstractEndpoint implements EventQueue.Sink {
  /** Nanoseconds in which the operations of a failed endpoint may complete, before and again after it is destroyed. */
  private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  /** Maximum number of progress calls until the library notices that the socket was shut down. */
  private static final int MOST_LOOKS = 64;

  private final MsgDomain domain;
  private final FabricCompletionQueue queue;
  private final EndpointOptions options;
  private final EndpointHandler handler;
  private final int addressFormat;
  private final Fid ep;
  private final Poster poster;
  private final PostOwner sends;
  private final PostOwner receives;
  private final ReceiveQueue receiveQueue = new Receives();
  private final int sendDepth;
  private final long number;
  private EndpointState state = EndpointState.INIT;
  private EndpointAddress local;
  private EndpointAddress remote;
  private ProviderException failure;
  private boolean accepting;
  private boolean ending;
  private boolean destroyed;
  private long deadline;

  MsgEndpoint(MsgDomain domain, FabricCompletionQueue queue, FiInfo info, EndpointOptions options, EndpointHandler handler) {
    super(queue);
    this.domain = domain;
    this.queue = queue;
    this.options = options;
    this.handler = handler;
    addressFormat = info.addressFormat();
    Libfabric library = domain.library;
    String what = domain.device().name() + ": making an endpoint";
    ep = domain.open(domain.fid, "endpoint", Structs.DOMAIN_OPS, Structs.DOMAIN_ENDPOINT, info.address(), domain.fid, queue.fid,
      queue.events.fid);
    info.handleTaken();
    try {
      FabricErrors.check(library, ep.bind(queue.events.fid, 0), what);
      domain.bind(ep, queue.fid, what);
      FabricErrors.check(library, ep.control(Fi.ENABLE, 0), what);
    } catch (RuntimeException e) {
      ep.close();
      throw e;
    }
    sendDepth = Math.clamp(options.sendDepth(), 1, domain.limits().sendDepth());
    sends = new PostOwner(this, sendDepth);
    receives = new PostOwner(this, Math.clamp(options.receiveDepth(), 1, domain.limits().receiveDepth()));
    number = queue.number(this);
    poster = new Poster(domain, queue, ep, number, Math.clamp(options.inlineSize(), 0, domain.limits().inlineSize()),
      Math.clamp(options.scatterGather(), 1, domain.limits().scatterGather()));
    queue.events.add(ep, this);
    queue.members.add(this);
  }

  @Override
  public void connect(EndpointAddress to, byte[] privateData) {
    if (state != EndpointState.INIT || accepting) {
      throw new IllegalStateException(this + " cannot connect: it is in state " + state);
    }
    domain.checkPrivateData(privateData);
    byte[] address = AddressFormats.toNative(addressFormat, to);
    String what = domain.device().name() + ": connecting to " + to;
    long function = ep.require(domain.library, Structs.EP_CM, Structs.CM_CONNECT, what);
    try (Scratch cAddress = Scratch.of(Math.max(Structs.ROOM, address.length)); Scratch cData = Scratch.of(privateData.length)) {
      Memory.putBytes(cAddress.address(), address);
      Memory.putBytes(cData.address(), privateData);
      FabricErrors.check(domain.library,
        Calls.number(function, ep.address(), cAddress.address(), privateData.length == 0 ? 0 : cData.address(), privateData.length), what);
    }
    remote = to;
    start();
  }

  void requestedBy(EndpointAddress from) {
    accepting = true;
    remote = from;
  }

  void accept(byte[] privateData) {
    if (state != EndpointState.INIT) {
      throw new IllegalStateException(this + " cannot accept: it is in state " + state);
    }
    String what = domain.device().name() + ": accepting " + remote;
    long function = ep.require(domain.library, Structs.EP_CM, Structs.CM_ACCEPT, what);
    try (Scratch cData = Scratch.of(privateData.length)) {
      Memory.putBytes(cData.address(), privateData);
      FabricErrors.check(domain.library,
        Calls.number(function, ep.address(), privateData.length == 0 ? 0 : cData.address(), privateData.length), what);
    }
    start();
  }

  private void start() {
    state = EndpointState.CONNECTING;
    deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.connectTimeoutMillis());
    queue.connecting.add(this);
  }

  void expire(long now) {
    if (state == EndpointState.CONNECTING && now - deadline >= 0) {
      shutdown();
      end(new ProviderException(Reason.TIMEOUT, this + (accepting ? " was not established" : " got no reply") + " within "
        + options.connectTimeoutMillis() + " ms. Check that the peer is running and its port is open"));
    }
  }

  @Override
  public void event(int event, long info, byte[] data) {
    if (event == Fi.CONNECTED && state == EndpointState.CONNECTING) {
      queue.connecting.remove(this);
      state = EndpointState.CONNECTED;
      // Stored now, because other threads may read the address after the native endpoint was closed.
      local = domain.nameOf(ep, Structs.EP_CM, addressFormat);
      handler.connected(this, accepting ? new byte[0] : data);
    } else if (event == Fi.SHUTDOWN) {
      ending = true;
      queue.ends.add(() -> end(new ProviderException(Reason.DISCONNECTED, this + ": the peer disconnected, or died")));
    }
  }

  @Override
  public void failed(int errno, String words, byte[] data) {
    if (state == EndpointState.CONNECTING) {
      boolean rejected = !accepting && errno == Errno.ECONNREFUSED && data.length > 0;
      // A reset before any answer means that the listener has closed.
      Reason reason = !accepting && errno == Errno.ECONNRESET ? Reason.REFUSED : FabricErrors.reason(errno);
      end(rejected ? new ProviderException(Reason.REJECTED, errno, this + ": the peer rejected the connection",
        MsgListener.reason(data), null) : new ProviderException(reason, errno, this + " did not connect: " + words));
    } else {
      ending = true;
      queue.ends.add(() -> end(new ProviderException(
        FabricErrors.reason(errno) == Reason.REFUSED ? Reason.DISCONNECTED : FabricErrors.reason(errno), errno,
        this + " failed: " + words)));
    }
  }

  private void end(ProviderException cause) {
    if (state == EndpointState.CONNECTING || state == EndpointState.CONNECTED) {
      queue.connecting.remove(this);
      state = EndpointState.BROKEN;
      failure = cause;
      deadline = System.nanoTime() + FLUSH_NANOS;
      queue.broken.add(this);
      handler.disconnected(this, cause);
    }
  }

  /**
   * Ends the operations of a failed endpoint. Some providers flush them by themselves, some when the endpoint is destroyed. After a second
   * deadline this method reports the remaining operations as flushed.
   *
   * @return true if nothing is left to do
   */
  boolean settled(long now) {
    if (sends.outstanding + receives.outstanding == 0) {
      return true;
    }
    if (now - deadline < 0) {
      return false;
    }
    if (!destroyed) {
      destroy();
      deadline = now + FLUSH_NANOS;
      return false;
    }
    queue.flush(sends);
    queue.flush(receives);
    return true;
  }

  private void destroy() {
    if (!destroyed) {
      destroyed = true;
      queue.events.remove(ep);
      poster.close();
      ep.close();
    }
  }

  private void shutdown() {
    if (destroyed) {
      return;
    }
    if (state == EndpointState.CONNECTED && domain.device().freesReadsTwice() && queue.isReading(sends)) {
      endSocket();
    }
    long function = ep.function(Structs.EP_CM, Structs.CM_SHUTDOWN);
    if (function != 0) {
      Calls.number(function, ep.address(), 0);
    }
  }

  /** Ends a connection of {@link FabricDevice#freesReadsTwice} by its socket, so that the library frees reads only once. */
  private void endSocket() {
    if (queue.fd.nativeFd < 0) {
      return;
    }
    InetSocketAddress here = local.toInet();
    InetSocketAddress there = remote.toInet();
    WatchedSocket.of(queue.fd.nativeFd).stream()
      .filter(socket -> there.equals(socket.remoteAddress()) && here.equals(socket.localAddress())).findFirst().ifPresent(socket -> {
        socket.shutDown();
        for (int i = 0; i < MOST_LOOKS && !queue.events.ends(ep); i++) {
          queue.progress();
        }
      });
  }

  @Override
  public void disconnect() {
    endByThisSide(new ProviderException(Reason.DISCONNECTED, this + ": disconnected by this side"));
  }

  @Override
  public void peerDead(String reason) {
    endByThisSide(new ProviderException(Reason.DISCONNECTED, this + ": the peer is dead: " + reason));
  }

  private void endByThisSide(ProviderException cause) {
    if (state == EndpointState.CONNECTING || state == EndpointState.CONNECTED) {
      shutdown();
      end(cause);
    }
  }

  @Override
  public void close() {
    if (state == EndpointState.CLOSED) {
      return;
    }
    if (state == EndpointState.CONNECTING || state == EndpointState.CONNECTED) {
      shutdown();
    }
    queue.connecting.remove(this);
    queue.broken.remove(this);
    state = EndpointState.CLOSED;
    queue.numbers.remove(number);
    queue.members.remove(this);
    destroy();
    queue.orphan(sends);
    queue.orphan(receives);
    sends.outstanding = 0;
    receives.outstanding = 0;
  }

  /** Returns whether the library has ended the connection, even if the end is not reported yet. */
  private boolean hasEnded() {
    return destroyed || ending || queue.events.ends(ep);
  }

  private final class Receives implements ReceiveQueue {
    @Override
    public int capacity() {
      return receives.depth;
    }

    @Override
    public boolean shared() {
      return false;
    }

    @Override
    public int post(long requestId, MemoryRegion region, long offset, int length) {
      // After the connection has failed, some providers would never complete a receive.
      if (state == EndpointState.BROKEN || state == EndpointState.CLOSED) {
        return Status.NOT_CONNECTED;
      }
      if (!receives.hasRoom()) {
        return Status.AGAIN;
      }
      int status = poster.receive(receives, requestId, region, offset, length);
      // From libfabric 1.18 on, tcp also returns EAGAIN if the connection has ended.
      return status == Status.AGAIN && hasEnded() ? Status.NOT_CONNECTED : status;
    }

    @Override
    public void close() {
      // The receives end with their endpoint.
    }
  }

  @Override
  public EndpointState state() {
    return state;
  }

  @Override
  public ProviderException failure() {
    if (failure == null && sends.failure != 0) {
      return FabricErrors.exception(domain.library, sends.failure, this + ": posting");
    }
    return failure;
  }

  @Override
  public ReceiveQueue receiveQueue() {
    return receiveQueue;
  }

  @Override
  public EndpointAddress localAddress() {
    return local;
  }

  @Override
  public EndpointAddress remoteAddress() {
    return remote;
  }

  @Override
  public int inlineSize() {
    return poster.inlineSize;
  }

  @Override
  public int sendDepth() {
    return sendDepth;
  }

  @Override
  public int readsInFlight() {
    return sendDepth;
  }

  @Override
  public int outstanding() {
    return sends.outstanding;
  }

  @Override
  public String toString() {
    return domain.device().name() + " connection with " + (remote == null ? "an unknown peer" : remote);
  }

  @Override
  public int post(WorkRequest request) {
    return state == EndpointState.CONNECTED ? poster.post(sends, 0, request) : Status.NOT_CONNECTED;
  }

  @Override
  public int flush() {
    return state == EndpointState.CONNECTED ? poster.flush() : Status.NOT_CONNECTED;
  }
}
