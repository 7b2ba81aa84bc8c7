package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.VerbsLayout.*;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PortRange;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/** Context and protection domain of a device; ibv_open_device(3), ibv_alloc_pd(3). Thread-safe. */
final class VerbsDomain implements Domain {
  private final VerbsDevice device;
  final IbVerbs verbs;
  final long context;
  final long protectionDomain;
  final MemorySegment postSend;
  final MemorySegment postReceive;
  final MemorySegment pollCq;
  final MemorySegment requestNotify;
  final AsyncEvents async;
  private final AtomicInteger vectors = new AtomicInteger();
  final DeviceQuirks quirks;
  private final Limits limits;
  final VerbsThread control;
  final Set<VerbsRegion> regions = ConcurrentHashMap.newKeySet();
  final Set<VerbsCompletionQueue> queues = ConcurrentHashMap.newKeySet();
  /** Number of completion queues with native objects, plus 1 while the domain is open. The device is closed at 0. */
  private final AtomicInteger users = new AtomicInteger(1);
  /** Read lock while native objects are created; write lock while {@code closed} is set. */
  private final ReadWriteLock open = new ReentrantReadWriteLock();
  private boolean closed;

  VerbsDomain(VerbsDevice device) {
    this.device = device;
    verbs = device.verbs;
    context = open(device);
    postSend = function(CONTEXT_POST_SEND);
    postReceive = function(CONTEXT_POST_RECV);
    pollCq = function(CONTEXT_POLL_CQ);
    requestNotify = function(CONTEXT_REQ_NOTIFY_CQ);
    protectionDomain = Calls.pointer(verbs.allocPd, context);
    if (protectionDomain == 0) {
      ProviderException failure = Errno.failure(Reason.LIMIT, "cannot create a protection domain on " + device.name());
      Calls.number(verbs.closeDevice, context);
      throw failure;
    }
    NativeObjects.made(NativeObjects.Kind.CONTEXT);
    async = new AsyncEvents(this);
    control = new VerbsThread(Thread.ofPlatform().daemon().name("verbs-control-" + device.ibName).factory());
    quirks = new DeviceQuirks(this);
    try {
      // A wrong setting verbs.pkey fails here, not at the first connection.
      PartitionKey.find(this);
      limits = device.limits(quirks.findInlineSize());
    } catch (ProviderException e) {
      closeDevice();
      throw e;
    }
  }

  /** Opens the device. If that fails, searches for it in a new list, because a reset may have replaced its entry. */
  private static long open(VerbsDevice device) {
    long context = Calls.pointer(device.verbs.openDevice, device.pointer);
    int errno = Errno.last();
    long again = context == 0 ? DeviceSearch.find(device.verbs, device.ibName) : 0;
    if (again != 0 && again != device.pointer) {
      context = Calls.pointer(device.verbs.openDevice, again);
      errno = Errno.last();
    }
    if (context == 0) {
      errno = DeviceFiles.errno(errno);
      throw new ProviderException(DeviceFiles.reason(errno), errno,
        device.name() + " could not be opened: " + Errno.describe(errno) + " — " + DeviceFiles.remedy(errno));
    }
    return context;
  }

  private MemorySegment function(int offset) {
    return MemorySegment.ofAddress(Memory.getLong(context + offset));
  }

  /**
   * Returns a function of struct verbs_context, which precedes the context in memory. Functions that a driver lacks fail with EOPNOTSUPP.
   */
  long extended(int distance) {
    return Memory.getLong(context - distance);
  }

  RdmaCm cm() {
    return device.manager.cm();
  }

  /** Returns the next completion vector in turn, so that interrupts go to different cores. */
  int nextVector() {
    return Math.floorMod(vectors.getAndIncrement(), Math.max(1, Memory.getInt(context + CONTEXT_VECTORS)));
  }

  @Override
  public VerbsDevice device() {
    return device;
  }

  @Override
  public Capabilities capabilities() {
    return device.capabilities();
  }

  @Override
  public Limits limits() {
    // Null while the constructor searches for the inline size.
    return limits == null ? device.limits() : limits;
  }

  @Override
  public String outage() {
    return async.outage;
  }

  @Override
  public boolean isLost() {
    return async.lost != null;
  }

  @Override
  public MemoryRegion register(MemorySegment memory, Set<Access> access) {
    return whileOpen(() -> new VerbsRegion(this, memory, access));
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    if (key.length != Integer.BYTES) {
      throw new ProviderException(Reason.INVALID,
        "a remote key of " + device.fabric() + " has " + Integer.BYTES + " bytes, not " + key.length);
    }
    if (length < 0) {
      throw new ProviderException(Reason.INVALID, "remote memory on " + device.name() + " cannot have " + length + " bytes");
    }
    return new VerbsRemoteMemory(remoteAddress, length, ByteBuffer.wrap(key).getInt());
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth) {
    return whileOpen(() -> new VerbsCompletionQueue(this, depth));
  }

  @Override
  public ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth) {
    throw new ProviderException(Reason.UNSUPPORTED, device.name() + " has no shared receive queues");
  }

  @Override
  public Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    CmChannel channel = managed(own(queue));
    // The listener replaces the wildcard by an address of the device.
    return local == null
      ? PortRange.of(device.options).open(new InetSocketAddress(0).getAddress(), address -> new CmListener(this, channel, address, handler))
      : new CmListener(this, channel, local, handler);
  }

  @Override
  public Callable<?> endpointPreparation(CompletionQueue queue, EndpointOptions options, Capabilities.Connecting how) {
    return own(queue).spares.preparation(SparePairs.Wanted.of(this, options, how == Capabilities.Connecting.EXCHANGE));
  }

  @Override
  public Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    VerbsCompletionQueue mine = own(queue);
    managed(mine);
    VerbsEndpoint endpoint = new VerbsEndpoint(this, mine, options, handler, false);
    endpoint.connection = new CmConnection(endpoint);
    return endpoint;
  }

  @Override
  public Endpoint createExchangedEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    if (device.attributes.iwarp()) {
      throw new ProviderException(Reason.UNSUPPORTED,
        device.name() + " is iWARP, whose queue pairs connect by TCP. Use the connection manager");
    }
    VerbsEndpoint endpoint = new VerbsEndpoint(this, own(queue), options, handler, true);
    endpoint.connection = new ExchangedConnection(endpoint);
    return endpoint;
  }

  private <T> T whileOpen(Supplier<T> maker) {
    open.readLock().lock();
    try {
      if (closed) {
        throw new IllegalStateException("the domain of " + device.name() + " is closed");
      }
      return maker.get();
    } finally {
      open.readLock().unlock();
    }
  }

  VerbsCompletionQueue own(CompletionQueue queue) {
    if (queue instanceof VerbsCompletionQueue mine && queues.contains(mine)) {
      return mine;
    }
    throw new ProviderException(Reason.INVALID, "the completion queue is closed, or does not belong to " + device.name() + ". Create "
      + "one with this domain");
  }

  private CmChannel managed(VerbsCompletionQueue queue) {
    CmChannel channel = queue.events.cm;
    if (channel == null) {
      throw new ProviderException(Reason.MISSING, device.name() + " cannot listen: " + device.manager.absence() + ". Or connect its "
        + "queue pairs by an exchange of their addresses");
    }
    return channel;
  }

  void adopt(VerbsCompletionQueue queue) {
    users.incrementAndGet();
    queues.add(queue);
  }

  /** Called when the domain is closed, and when a completion queue has destroyed its native objects. */
  void left() {
    if (users.decrementAndGet() == 0) {
      closeDevice();
    }
  }

  @Override
  public void close() {
    open.writeLock().lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      open.writeLock().unlock();
    }
    for (VerbsCompletionQueue queue : List.copyOf(queues)) {
      queue.close();
    }
    control.await();
    for (VerbsRegion region : List.copyOf(regions)) {
      region.close();
    }
    left();
  }

  private void closeDevice() {
    quirks.close();
    async.close();
    if (Calls.number(verbs.deallocPd, protectionDomain) == 0 && Calls.number(verbs.closeDevice, context) == 0) {
      NativeObjects.destroyed(NativeObjects.Kind.CONTEXT);
    }
  }
}
