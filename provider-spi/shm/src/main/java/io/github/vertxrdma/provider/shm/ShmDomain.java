package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.software.PostedReceives;
import io.github.vertxrdma.provider.software.RegionTable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The regions and completion queues of this process. */
final class ShmDomain implements Domain {
  private final ShmDevice device;
  private final RegionTable<ShmRegion> regions;
  private final List<ShmQueue> queues = new ArrayList<>();
  private boolean closed;

  ShmDomain(ShmDevice device) {
    this.device = device;
    regions = new RegionTable<>(ShmDevice.NAME, device.limits().maxRegions(), this::region);
  }

  @Override
  public Device device() {
    return device;
  }

  private ShmRegion region(RegionTable<ShmRegion> table, MemorySegment memory, Set<Access> access, int slot, long secret) {
    return new ShmRegion(table, memory, access, slot, secret, sharing().mapsRegions());
  }

  Sharing sharing() {
    return device.sharing();
  }

  MeetingFolder folder() {
    return device.folder();
  }

  /** Time for which a larger ring, or a peering without connections, is kept for what may come. */
  long idleMillis() {
    return device.idleMillis();
  }

  @Override
  public Capabilities capabilities() {
    return device.capabilities();
  }

  @Override
  public Limits limits() {
    return device.limits();
  }

  RegionTable<ShmRegion> regions() {
    return regions;
  }

  /** Memory that no peer uses lies in no file. */
  @Override
  public MemorySegment allocate(long bytes, Set<Access> access, Arena arena) {
    boolean written = access.contains(Access.REMOTE_WRITE) || access.contains(Access.REMOTE_ATOMIC);
    return written || access.contains(Access.REMOTE_READ) ? sharing().allocate(bytes, written, arena)
      : Domain.super.allocate(bytes, access, arena);
  }

  @Override
  public boolean reclaim(MemorySegment memory, boolean movable) {
    AllocatedFile file = AllocatedFile.of(memory);
    return file == null || file.reclaim(movable);
  }

  @Override
  public MemoryRegion register(MemorySegment memory, Set<Access> access) {
    checkOpen();
    return regions.register(memory, access);
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return new ShmRemoteMemory(remoteAddress, length, key);
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth) {
    checkOpen();
    ShmQueue queue = new ShmQueue(this, Math.clamp(depth, 1, limits().completionQueueDepth()));
    synchronized (this) {
      if (!closed) {
        queues.add(queue);
        return queue;
      }
    }
    queue.close();
    throw invalid("the domain is closed");
  }

  synchronized void forget(ShmQueue queue) {
    queues.remove(queue);
  }

  @Override
  public ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth) {
    ShmQueue mine = own(queue);
    PostedReceives receives = new PostedReceives(mine, mine.completions(), regions, Math.clamp(depth, 1, limits().receiveDepth()), null);
    return mine.add(receives.onClose(() -> mine.remove(receives)));
  }

  @Override
  public Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    return ShmListener.open(own(queue), local, options, handler);
  }

  @Override
  public Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    return own(queue).add(new ShmEndpoint(own(queue), options, handler));
  }

  @Override
  public void close() {
    List<ShmQueue> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(queues);
    }
    open.forEach(ShmQueue::close);
    regions.closeAll();
  }

  ShmQueue own(CompletionQueue queue) {
    if (queue instanceof ShmQueue mine && mine.domain() == this && !mine.closed()) {
      return mine;
    }
    throw invalid("the completion queue is closed or was made by another domain: make one with this domain's createCompletionQueue");
  }

  static ProviderException invalid(String message) {
    return new ProviderException(ProviderException.Reason.INVALID, "shm: " + message);
  }

  private synchronized void checkOpen() {
    if (closed) {
      throw invalid("the domain is closed");
    }
  }
}
