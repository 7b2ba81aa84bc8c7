package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Opened device. Thread-safe; checks of posts are confined to the endpoint's thread. */
public abstract class SoftwareDomain<Q extends SoftwareQueue, R extends SoftwareRegion> implements Domain {
  private final Device device;
  private final Capabilities capabilities;
  private final Limits limits;
  private final Class<Q> kind;
  private final RegionTable<R> regions;
  /** Bits that must be 0 in an immediate. */
  private final long excessBits;
  private final List<Q> queues = new ArrayList<>();
  private boolean closed;

  protected SoftwareDomain(Device device, Class<Q> kind, RegionTable.Maker<R> maker) {
    this(device, device.capabilities(), device.limits(), kind, maker);
  }

  protected SoftwareDomain(Device device, Capabilities capabilities, Limits limits, Class<Q> kind, RegionTable.Maker<R> maker) {
    this.device = device;
    this.kind = kind;
    this.capabilities = capabilities;
    this.limits = limits;
    excessBits = capabilities.immediateBits() < Long.SIZE ? -1L << capabilities.immediateBits() : 0;
    regions = new RegionTable<>(device.name(), limits.maxRegions(), maker);
  }

  protected abstract Q newQueue(int depth);

  @Override
  public final Device device() {
    return device;
  }

  @Override
  public final Capabilities capabilities() {
    return capabilities;
  }

  @Override
  public final Limits limits() {
    return limits;
  }

  public final RegionTable<R> regions() {
    return regions;
  }

  @Override
  public final MemoryRegion register(MemorySegment memory, Set<Access> access) {
    checkOpen();
    if (memory.byteSize() > limits.maxRegionSize()) {
      throw new ProviderException(Reason.LIMIT, device.name() + ": a region of " + memory.byteSize()
        + " bytes cannot be registered: at most " + limits.maxRegionSize() + " are allowed. Register the memory in parts");
    }
    return regions.register(memory, access);
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return new SoftwareRemoteMemory(device.name(), remoteAddress, length, key, limits.keySize());
  }

  protected abstract SoftwareEndpoint newEndpoint(Q queue, EndpointOptions options, EndpointHandler handler);

  @Override
  public final Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    Q own = own(queue);
    return own.add(newEndpoint(own, options, handler));
  }

  @Override
  public final CompletionQueue createCompletionQueue(int depth) {
    checkOpen();
    Q queue = newQueue(Math.clamp(depth, 1, limits.completionQueueDepth()));
    synchronized (this) {
      if (!closed) {
        queues.add(queue);
        return queue;
      }
    }
    queue.close();
    throw invalid("the domain is closed");
  }

  @Override
  public ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth) {
    Q own = own(queue);
    SoftwareReceives receives = newReceives(own, depth, null);
    return own.add(receives.onClose(() -> own.remove(receives)));
  }

  protected SoftwareReceives newReceives(SoftwareQueue queue, int depth, SoftwareEndpoint owner) {
    return new SoftwareReceives(queue, queue.completions(), regions, Math.clamp(depth, 1, limits.receiveDepth()), owner,
      capabilities.receivesInPlace());
  }

  public final synchronized void forget(CompletionQueue queue) {
    queues.remove(queue);
  }

  /** Returns the queue as one of this domain. @throws ProviderException {@code INVALID} if it is closed or of another domain */
  public final synchronized Q own(CompletionQueue queue) {
    if (kind.isInstance(queue) && queues.contains(queue)) {
      return kind.cast(queue);
    }
    throw invalid("the completion queue is closed or belongs to another domain. Create one with this domain's createCompletionQueue");
  }

  /**
   * @param flags without {@link PostFlags#INLINE} for reads and atomics
   */
  public final int check(WorkRequest request, int flags, int inlineSize, int scatterGather, boolean isFull,
    Class<? extends SoftwareRemoteMemory> remoteMemory) {
    Operation operation = request.operation();
    long length = request.length();
    if (length > (operation.isOneSided() ? limits.maxTransferSize() : limits.maxMessageSize())
      || (flags & PostFlags.INLINE) != 0 && length > inlineSize || operation.hasImmediate() && (request.immediate() & excessBits) != 0) {
      return Status.LIMIT;
    }
    if (isFull) {
      return Status.AGAIN;
    }
    int status = request.memory() == null ? checkRegions(request, scatterGather) : checkHeap(request);
    return status == Status.OK && operation.isOneSided() ? checkRemote(request, remoteMemory) : status;
  }

  private int checkRegions(WorkRequest request, int scatterGather) {
    int pieces = request.pieces();
    if (pieces > scatterGather) {
      return Status.LIMIT;
    }
    boolean sink = request.operation().isRead();
    for (int i = 0; i < pieces; i++) {
      MemoryRegion region = request.pieceRegion(i);
      long length = request.pieceLength(i);
      if ((region != null || length != 0)
        && !(region instanceof SoftwareRegion own && own.usable(regions, request.pieceOffset(i), length, sink))) {
        return Status.LOCAL_RANGE;
      }
    }
    return Status.OK;
  }

  private int checkHeap(WorkRequest request) {
    return !capabilities.maps() || request.offset() < 0 || request.length() < 0
      || request.offset() > request.memory().byteSize() - request.length() || request.memory().isReadOnly() ? Status.LOCAL_RANGE
        : Status.OK;
  }

  private static int checkRemote(WorkRequest request, Class<? extends SoftwareRemoteMemory> kind) {
    long offset = request.remoteOffset();
    return kind.isInstance(request.remote()) && request.remote().covers(offset, request.length())
      && (!request.operation().isAtomic() || (offset & Long.BYTES - 1) == 0) ? Status.OK : Status.REMOTE_RANGE;
  }

  private ProviderException invalid(String message) {
    return new ProviderException(Reason.INVALID, device.name() + ": " + message);
  }

  private synchronized void checkOpen() {
    if (closed) {
      throw invalid("the domain is closed");
    }
  }

  @Override
  public final void close() {
    List<Q> open;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      open = List.copyOf(queues);
    }
    open.forEach(CompletionQueue::close);
    regions.closeAll();
    closed();
  }

  protected void closed() {
  }
}
