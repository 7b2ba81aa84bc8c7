package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.software.SoftwareDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

final class ShmDomain extends SoftwareDomain<ShmQueue, ShmRegion> {
  private final ShmDevice device;
  final Set<ShmListener> listeners = ConcurrentHashMap.newKeySet();

  ShmDomain(ShmDevice device) {
    super(device, ShmQueue.class, ShmRegion::new);
    this.device = device;
  }

  @Override
  protected ShmQueue newQueue(int depth) {
    return new ShmQueue(this, depth);
  }

  ShmDevice shm() {
    return device;
  }

  MeetingFolder folder() {
    return device.folder;
  }

  long idleMillis() {
    return device.idleMillis;
  }

  /** Allocates memory in a file if peers may access it. Otherwise allocates ordinary pages. */
  @Override
  public MemorySegment allocate(long bytes, Set<Access> access, Arena arena) {
    boolean written = access.contains(Access.REMOTE_WRITE) || access.contains(Access.REMOTE_ATOMIC);
    return written || access.contains(Access.REMOTE_READ) ? AllocatedFile.allocate(bytes, written, arena)
      : Memory.allocatePages(bytes, arena);
  }

  @Override
  public boolean reclaim(MemorySegment memory, boolean movable) {
    AllocatedFile file = AllocatedFile.of(memory);
    return file == null || file.reclaim(movable);
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return new ShmRemoteMemory(remoteAddress, length, key);
  }

  @Override
  public Callable<EndpointAddress> listenPreparation(CompletionQueue queue, EndpointAddress local) {
    ShmQueue own = own(queue);
    EndpointAddress address = local != null ? local : own.nameListener();
    return () -> {
      own.prepared(address, ShmListener.Name.take(device, address, local == null));
      return address;
    };
  }

  @Override
  public Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    return ShmListener.open(own(queue), local, options, handler);
  }

  @Override
  public byte[] channelBinding(EndpointAddress listener) {
    MeetingFolder folder = folder();
    return folder.isOfGroup() ? folder.binding(folder.user(), folder.owner(listener)) : super.channelBinding(listener);
  }

  @Override
  public List<Path> files() {
    return listeners.stream().flatMap(listener -> listener.paths().stream()).toList();
  }

  @Override
  public boolean restoreFiles() {
    device.refresh();
    boolean all = true;
    for (ShmListener each : listeners) {
      all &= each.restoreSocket(device.folders());
    }
    return all;
  }

  @Override
  protected ShmEndpoint newEndpoint(ShmQueue queue, EndpointOptions options, EndpointHandler handler) {
    return new ShmEndpoint(queue, options, handler);
  }

  @Override
  protected void closed() {
    DaemonThreads.FOLDER.await();
  }
}
