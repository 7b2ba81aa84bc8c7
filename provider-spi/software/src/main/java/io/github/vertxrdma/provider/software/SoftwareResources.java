package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The memory regions and completion queues of an opened device, with or without connections. Thread-safe. */
public abstract class SoftwareResources<Q extends CompletionQueue, R extends SoftwareRegion> {
  private final Device device;
  private final Capabilities capabilities;
  private final Limits limits;
  private final Class<Q> kind;
  private final RegionTable<R> regions;
  private final List<Q> queues = new ArrayList<>();
  private boolean closed;

  /**
   * @param capabilities of the endpoints, which may differ from those of the device
   * @param kind class of the completion queues
   */
  protected SoftwareResources(Device device, Capabilities capabilities, Limits limits, Class<Q> kind, RegionTable.Maker<R> maker) {
    this.device = device;
    this.capabilities = capabilities;
    this.limits = limits;
    this.kind = kind;
    regions = new RegionTable<>(device.name(), limits.maxRegions(), maker);
  }

  protected abstract Q newQueue(int depth);

  public final Device device() {
    return device;
  }

  public final Capabilities capabilities() {
    return capabilities;
  }

  public final Limits limits() {
    return limits;
  }

  public final RegionTable<R> regions() {
    return regions;
  }

  public final MemoryRegion register(MemorySegment memory, Set<Access> access) {
    checkOpen();
    if (memory.byteSize() > limits.maxRegionSize()) {
      throw new ProviderException(Reason.LIMIT, device.name() + ": a region of " + memory.byteSize()
        + " bytes cannot be registered, at most " + limits.maxRegionSize() + " bytes can: register the memory in parts");
    }
    return regions.register(memory, access);
  }

  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return new SoftwareRemoteMemory(device.name(), remoteAddress, length, key, limits.keySize());
  }

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

  /** Called by a completion queue that closes. */
  public final synchronized void forget(CompletionQueue queue) {
    queues.remove(queue);
  }

  /** Returns a queue that was made here, and is open. @throws ProviderException {@code INVALID} for any other */
  public final synchronized Q own(CompletionQueue queue) {
    if (kind.isInstance(queue) && queues.contains(queue)) {
      return kind.cast(queue);
    }
    throw invalid("the completion queue is closed or was made by another domain: make one with this domain's createCompletionQueue");
  }

  private ProviderException invalid(String message) {
    return new ProviderException(Reason.INVALID, device.name() + ": " + message);
  }

  private synchronized void checkOpen() {
    if (closed) {
      throw invalid("the domain is closed");
    }
  }

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

  /** Called once, when the queues and regions are closed. */
  protected void closed() {
  }
}
