package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The regions and completion queues of this process. */
public abstract class SoftwareDomain<Q extends SoftwareQueue, R extends SoftwareRegion> implements Domain {
  private final Device device;
  private final Class<Q> kind;
  private final RegionTable<R> regions;
  private final List<Q> queues = new ArrayList<>();
  private boolean closed;

  /** @param kind of its queues */
  protected SoftwareDomain(Device device, Class<Q> kind, RegionTable.Maker<R> maker) {
    this.device = device;
    this.kind = kind;
    regions = new RegionTable<>(device.name(), device.limits().maxRegions(), maker);
  }

  protected abstract Q newQueue(int depth);

  @Override
  public final Device device() {
    return device;
  }

  @Override
  public final Capabilities capabilities() {
    return device.capabilities();
  }

  @Override
  public final Limits limits() {
    return device.limits();
  }

  public final RegionTable<R> regions() {
    return regions;
  }

  @Override
  public final MemoryRegion register(MemorySegment memory, Set<Access> access) {
    checkOpen();
    return regions.register(memory, access);
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return new SoftwareRemoteMemory(device.name(), remoteAddress, length, key, limits().keySize());
  }

  @Override
  public final CompletionQueue createCompletionQueue(int depth) {
    checkOpen();
    Q queue = newQueue(Math.clamp(depth, 1, limits().completionQueueDepth()));
    synchronized (this) {
      if (!closed) {
        queues.add(queue);
        return queue;
      }
    }
    queue.close();
    throw invalid("the domain is closed");
  }

  synchronized void forget(SoftwareQueue queue) {
    queues.remove(queue);
  }

  @Override
  public final ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth) {
    Q mine = own(queue);
    PostedReceives receives = new PostedReceives(mine, mine.completions(), regions, Math.clamp(depth, 1, limits().receiveDepth()), null,
      capabilities().receivesInPlace());
    return mine.add(receives.onClose(() -> mine.remove(receives)));
  }

  /** A queue that was made here, and is open. @throws ProviderException {@code INVALID} for any other */
  public final Q own(CompletionQueue queue) {
    if (kind.isInstance(queue)) {
      Q mine = kind.cast(queue);
      if (mine.owner() == this && !mine.isClosed()) {
        return mine;
      }
    }
    throw invalid("the completion queue is closed or was made by another domain: make one with this domain's createCompletionQueue");
  }

  private ProviderException invalid(String message) {
    return new ProviderException(ProviderException.Reason.INVALID, device.name() + ": " + message);
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
      closed = true;
      open = List.copyOf(queues);
    }
    open.forEach(SoftwareQueue::close);
    regions.closeAll();
  }
}
