package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.software.SoftwareDomain;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Set;

final class NioDomain extends SoftwareDomain<NioCompletionQueue, SoftwareRegion> {
  private final NioDevice device;

  NioDomain(NioDevice device) {
    super(device, NioCompletionQueue.class, SoftwareRegion::new);
    this.device = device;
  }

  @Override
  protected NioCompletionQueue newQueue(int depth) {
    return new NioCompletionQueue(this, depth, device.sockets());
  }

  @Override
  public MemorySegment allocate(long bytes, Set<Access> access, Arena arena) {
    return device.callsLinux() ? Memory.allocatePages(bytes, arena) : super.allocate(bytes, access, arena);
  }

  @Override
  public Listener listen(CompletionQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    NioCompletionQueue own = own(queue);
    return local == null ? device.ports.open(device.host, address -> NioListener.open(own,
      address == null ? new InetSocketAddress(device.host, 0) : inet(address), options, handler))
      : NioListener.open(own, inet(local), options, handler);
  }

  @Override
  protected NioEndpoint newEndpoint(NioCompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    return new NioEndpoint(queue, options, handler);
  }

  static InetSocketAddress inet(EndpointAddress address) {
    try {
      return address.toInet();
    } catch (IllegalArgumentException e) {
      throw new ProviderException(ProviderException.Reason.INVALID, "nio: cannot use the address '" + address
        + "': it is not an IP address and port");
    }
  }
}
