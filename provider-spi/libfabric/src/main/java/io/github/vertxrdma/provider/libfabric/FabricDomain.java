package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.MemlockLimit;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import io.github.vertxrdma.provider.ffi.SignalGuard;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Opened fabric and domain of a device. Thread-safe. */
abstract class FabricDomain implements AutoCloseable {
  private static final int KEY_TRIES = 8;

  private final FabricDevice device;
  final Libfabric library;
  final Fid fabric;
  /** True if the endpoints are connected (MSG), false if they are connectionless (RDM). */
  final boolean connected;
  final Fid fid;
  private final RemoteKeys keys;
  final EndpointMemory endpointMemory;
  private final Capabilities capabilities;
  private final Limits limits;
  private final Set<FabricCompletionQueue> queues = ConcurrentHashMap.newKeySet();
  private final Set<FabricMemoryRegion> regions = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  FabricDomain(FabricDevice device) {
    this.device = device;
    library = device.library;
    FiInfo info = device.info;
    limits = device.limits;
    connected = info.endpointType() == Fi.EP_MSG;
    fabric = library.openFabric(info);
    try {
      fid = open(fabric, "domain", Structs.FABRIC_OPS, Structs.FABRIC_DOMAIN, info.address(), fabric);
    } catch (RuntimeException e) {
      fabric.close();
      throw e;
    }
    keys = new RemoteKeys(info.size(Structs.INFO_DOMAIN_ATTR, Structs.DOMAIN_MR_KEY_SIZE));
    endpointMemory = (info.mrMode() & Fi.MR_ENDPOINT) != 0 ? new EndpointMemory(library, device.name()) : null;
    try {
      capabilities = ProbeEndpoint.testedCapabilities(this);
    } catch (RuntimeException e) {
      fid.close();
      fabric.close();
      throw e;
    }
  }

  /** Opens an object with the function at {@code offset} in a function table of the parent. */
  final Fid open(Fid of, String kind, int table, int offset, long attributes, Fid... parents) {
    String what = device.name() + ": opening the " + kind;
    long function = of.require(library, table, offset, what);
    try (Scratch out = Scratch.of(8)) {
      FabricErrors.check(library, Calls.number(function, of.address(), attributes, out.address(), 0), what);
      return new Fid(kind, Memory.getLong(out.address()), parents);
    }
  }

  final Fid openCompletionQueue(int entries, boolean wait) {
    try (Scratch scratch = Scratch.of(Structs.ROOM)) {
      long attr = scratch.address();
      Memory.putLong(attr + Structs.CQ_ATTR_SIZE, entries);
      Memory.putInt(attr + Structs.CQ_ATTR_FORMAT, Fi.CQ_FORMAT_DATA);
      Memory.putInt(attr + Structs.CQ_ATTR_WAIT_OBJ, wait ? Fi.WAIT_FD : Fi.WAIT_NONE);
      return open(fid, "completion queue", Structs.DOMAIN_OPS, Structs.DOMAIN_CQ_OPEN, attr, fid);
    }
  }

  /**
   * Opens an event queue for the provider's own errors, without which some providers end the process.
   *
   * @return null if the provider has no event queues
   */
  final EventQueue openEventQueue() {
    try {
      return new EventQueue(library, fabric, false);
    } catch (ProviderException e) {
      return null;
    }
  }

  /** Calls fi_endpoint(3). Restores signal handlers, because some providers replace them when they open their first endpoint. */
  final Fid openEndpoint(FiInfo info, Fid... bound) {
    Fid[] parents = Stream.concat(Stream.of(bound), Stream.of(fid)).filter(Objects::nonNull).toArray(Fid[]::new);
    return SignalGuard.run(() -> open(fid, "endpoint", Structs.DOMAIN_OPS, Structs.DOMAIN_ENDPOINT, info.address(), parents));
  }

  final long trywait() {
    return fabric.function(Structs.FABRIC_OPS, Structs.FABRIC_TRYWAIT);
  }

  final boolean waitsByFd() {
    return capabilities != null && capabilities.waiting() == Waiting.FD;
  }

  final boolean registersLocalMemory() {
    return (device.info.mrMode() & Fi.MR_LOCAL) != 0;
  }

  final boolean managesResources() {
    return device.info.number(Structs.INFO_DOMAIN_ATTR, Structs.DOMAIN_RESOURCE_MGMT) == Fi.RM_ENABLED;
  }

  /**
   * Returns whether unsignalled inline sends are posted without a completion. The provider must prevent overruns of its queues. It must
   * also return the context of an error unchanged, because this context is a number.
   */
  final boolean sendsSilently() {
    return managesResources() && (device.info.mode() & (Fi.CONTEXT | Fi.CONTEXT2)) == 0;
  }

  /** Binds an endpoint to a completion queue. With {@link #sendsSilently}, only sends that request a completion have one. */
  final void bind(Fid endpoint, Fid queue, String what) {
    if (sendsSilently()) {
      FabricErrors.check(library, endpoint.bind(queue, Fi.TRANSMIT | Fi.SELECTIVE_COMPLETION), what);
      FabricErrors.check(library, endpoint.bind(queue, Fi.RECV), what);
    } else {
      FabricErrors.check(library, endpoint.bind(queue, Fi.TRANSMIT | Fi.RECV), what);
    }
  }

  /** Enables an endpoint. {@code events} is null if the provider has no event queues. */
  final void enable(Fid endpoint, Fid vector, EventQueue events, String what) {
    FabricErrors.check(library, endpoint.bind(vector, 0), what);
    if (events != null) {
      // Ignores errors, because providers without such events may refuse the event queue.
      endpoint.bind(events.fid, 0);
    }
    FabricErrors.check(library, endpoint.control(Fi.ENABLE, 0), what);
  }

  public final FabricDevice device() {
    return device;
  }

  public final Capabilities capabilities() {
    return capabilities;
  }

  public final Limits limits() {
    return limits;
  }

  public final MemoryRegion register(MemorySegment memory, Set<Access> access) {
    checkOpen();
    if (!memory.isNative()) {
      throw new ProviderException(Reason.INVALID, device.name() + ": " + memory.byteSize()
        + " bytes of heap memory cannot be registered, since the garbage collector moves them. Use an Arena or a direct buffer");
    }
    if (!memory.scope().isAlive() || memory.byteSize() == 0) {
      throw new ProviderException(Reason.INVALID, device.name() + ": memory of 0 bytes, or of a closed arena, cannot be registered");
    }
    if (memory.isMapped() && !capabilities().pinned()) {
      throw new ProviderException(Reason.INVALID,
        device.name() + ": memory that is mapped from a file cannot be registered, since libfabric would crash the process if the "
          + "file was truncated. Copy it to other memory, or use shm or nio");
    }
    Fid mr = endpointMemory != null && !EndpointMemory.registers(access) ? null
      : registerFid(memory.address(), memory.byteSize(), rights(access, readSinkNeeded()));
    try {
      FabricMemoryRegion region = new FabricMemoryRegion(this, memory, access, mr);
      regions.add(region);
      return region;
    } catch (RuntimeException e) {
      if (mr != null) {
        mr.close();
      }
      throw e;
    }
  }

  final Fid registerFid(long address, long size, long rights) {
    Fid owner = endpointMemory == null ? null : endpointMemory.require();
    String what = device.name() + ": registering " + size + " bytes";
    MemorySegment function = MemorySegment.ofAddress(fid.require(library, Structs.DOMAIN_MR, Structs.MR_REG, what));
    try (Scratch out = Scratch.of(8)) {
      int status = 0;
      for (int i = 0; i < KEY_TRIES; i++) {
        status = (int) Libfabric.call(function, fid.address(), address, size, rights, 0, keys.request(), 0, out.address(), 0);
        if (status != -Fi.ENOKEY) {
          break;
        }
      }
      if (status == -Errno.ENOMEM || status == -Errno.ENOSPC || status == -Errno.EPERM) {
        throw new ProviderException(Reason.LIMIT, -status, what + " failed: " + library.describe(status) + "; " + limit(-status));
      }
      FabricErrors.check(library, status, what);
      return owner == null ? new Fid("memory region", Memory.getLong(out.address()), fid) : bound(Memory.getLong(out.address()), owner);
    }
  }

  private String limit(int errno) {
    int most = limits.maxRegions();
    long here = regions.stream().filter(region -> region.mr != null).count();
    String count = here + (most == Integer.MAX_VALUE ? "" : " of at most " + most) + " regions are registered here";
    // Libfabric itself has also registered a few regions.
    boolean reached = errno == Errno.ENOSPC || here >= most - most / 8;
    return reached ? count + ". Close some, or register fewer and larger ones"
      : MemlockLimit.describe() + (most == Integer.MAX_VALUE || errno == Errno.EPERM ? "" : "; " + count);
  }

  private Fid bound(long address, Fid endpoint) {
    Fid mr = new Fid("memory region", address, fid, endpoint);
    try {
      endpointMemory.bind(mr, endpoint);
      return mr;
    } catch (RuntimeException e) {
      mr.close();
      throw e;
    }
  }

  /** Returns whether a read needs memory with remote write access. On iWARP a remote write delivers the data. */
  final boolean readSinkNeeded() {
    return FabricCapabilities.iwarp(device.info);
  }

  private static long rights(Set<Access> access, boolean readSinkNeeded) {
    long rights = Fi.SEND | Fi.WRITE;
    for (Access right : access) {
      rights |= switch (right) {
        case LOCAL_WRITE -> readSinkNeeded ? Fi.RECV : Fi.RECV | Fi.READ;
        case REMOTE_READ -> Fi.REMOTE_READ;
        case REMOTE_WRITE -> Fi.REMOTE_WRITE;
        case REMOTE_ATOMIC -> Fi.REMOTE_READ | Fi.REMOTE_WRITE;
        case READ_SINK -> Fi.READ;
      };
    }
    return rights;
  }

  public final RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    checkOpen();
    if (length < 0) {
      throw new ProviderException(Reason.INVALID, device.name() + ": remote memory cannot have " + length + " bytes");
    }
    return RemoteKeys.map(this, remoteAddress, length, key);
  }

  public final CompletionQueue createCompletionQueue(int depth) {
    checkOpen();
    FabricCompletionQueue queue = new FabricCompletionQueue(this, Math.clamp(depth, 1, limits.completionQueueDepth()));
    queues.add(queue);
    return queue;
  }

  final FabricCompletionQueue own(CompletionQueue queue) {
    checkOpen();
    if (!(queue instanceof FabricCompletionQueue q) || !queues.contains(q)) {
      throw new ProviderException(Reason.INVALID, device.name() + ": the completion queue is closed or belongs to another domain");
    }
    return q;
  }

  final void forget(FabricCompletionQueue queue) {
    queues.remove(queue);
  }

  /** Removes a region. Returns false if the region was removed before. */
  final boolean forget(FabricMemoryRegion region) {
    return regions.remove(region);
  }

  final EndpointAddress nameOf(Fid object, int cm, int format) {
    long function = object.function(cm, Structs.CM_GETNAME);
    if (function == 0) {
      return null;
    }
    try (Scratch address = Scratch.of(Structs.ROOM * 2); Scratch length = Scratch.of(8)) {
      Memory.putLong(length.address(), Structs.ROOM * 2);
      int status = Calls.number(function, object.address(), address.address(), length.address());
      return status == 0 ? AddressFormats.fromNative(format, address.address(), (int) Memory.getLong(length.address())) : null;
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new ProviderException(Reason.INVALID, device.name() + ": the domain is closed");
    }
  }

  @Override
  public final void close() {
    if (closed) {
      return;
    }
    closed = true;
    queues.forEach(FabricCompletionQueue::close);
    regions.forEach(FabricMemoryRegion::close);
    fid.close();
    fabric.close();
  }
}
