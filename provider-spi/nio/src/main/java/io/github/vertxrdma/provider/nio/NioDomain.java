package io.github.vertxrdma.provider.nio;

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
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The regions and completion queues of this process. */
final class NioDomain implements Domain {
  private final NioDevice device;
  private final RegionTable<NioMemoryRegion> regions;
  private final List<NioCompletionQueue> queues = new ArrayList<>();
  private boolean closed;

  NioDomain(NioDevice device) {
    this.device = device;
    regions = new RegionTable<>(NioDevice.NAME, device.limits().maxRegions(), NioMemoryRegion::new);
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public Capabilities capabilities() {
    return device.capabilities();
  }

  @Override
  public Limits limits() {
    return device.limits();
  }

  RegionTable<NioMemoryRegion> regions() {
    return regions;
  }

  @Override
  public MemoryRegion register(MemorySegment memory, Set<Access> access) {
    checkOpen();
    return regions.register(memory, access);
  }

  @Override
  public RemoteMemory remoteMemory(long remoteAddress, long length, byte[] key) {
    return new NioRemoteMemory(remoteAddress, length, key);
  }

  @Override
  public CompletionQueue createCompletionQueue(int depth) {
    NioCompletionQueue queue = new NioCompletionQueue(this, Math.clamp(depth, 1, limits().completionQueueDepth()), device.sockets(regions));
    synchronized (this) {
      if (!closed) {
        queues.add(queue);
        return queue;
      }
    }
    queue.close();
    throw invalid("the domain is closed");
  }

  synchronized void forget(NioCompletionQueue queue) {
    queues.remove(queue);
  }

  @Override
  public ReceiveQueue createSharedReceiveQueue(CompletionQueue queue, int depth) {
    NioCompletionQueue mine = own(queue);
    PostedReceives receives = new PostedReceives(mine, mine.completions(), regions, Math.clamp(depth, 1, limits().receiveDepth()), null);
    return mine.add(receives.onClose(() -> mine.remove(receives)));
  }

  @Override
  public Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    InetSocketAddress address = local == null ? new InetSocketAddress(device.host(), 0) : inet(local);
    return NioListener.open(own(queue), address, options, handler);
  }

  @Override
  public Endpoint createEndpoint(CompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    return own(queue).add(new NioEndpoint(own(queue), options, handler));
  }

  @Override
  public void close() {
    List<NioCompletionQueue> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(queues);
    }
    open.forEach(NioCompletionQueue::close);
    regions.closeAll();
  }

  NioCompletionQueue own(CompletionQueue queue) {
    if (queue instanceof NioCompletionQueue mine && mine.domain() == this && !mine.closed()) {
      return mine;
    }
    throw invalid("the completion queue is closed or was made by another domain: make one with this domain's createCompletionQueue");
  }

  static InetSocketAddress inet(EndpointAddress address) {
    try {
      return address.toInet();
    } catch (IllegalArgumentException e) {
      throw invalid("'" + address + "' is no IP address and port, which is what fabric 'nio' needs");
    }
  }

  static ProviderException invalid(String message) {
    return new ProviderException(ProviderException.Reason.INVALID, "nio: " + message);
  }

  private synchronized void checkOpen() {
    if (closed) {
      throw invalid("the domain is closed");
    }
  }
}
