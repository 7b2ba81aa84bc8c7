package io.github.vertxrdma.provider.verbs;

import static io.github.vertxrdma.provider.verbs.CmLayout.*;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Scratch;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

final class CmListener implements Listener {
  /** Maximum number of unread connection requests. The kernel drops further ones without an answer, and peers repeat them after 4 s. */
  private static final int BACKLOG = 1024;
  /** Maximum number of ports to try. On iWARP a port must also be free in TCP, which only rdma_listen checks. */
  private static final int TRIES = 16;

  final VerbsDomain domain;
  private final RdmaCm cm;
  final CmChannel channel;
  private final ListenHandler handler;
  private final Set<CmRequest> waiting = ConcurrentHashMap.newKeySet();
  private final EndpointAddress local;
  private long id;

  CmListener(VerbsDomain domain, CmChannel channel, EndpointAddress wanted, ListenHandler handler) {
    this.domain = domain;
    this.channel = channel;
    this.handler = handler;
    cm = domain.cm();
    InetSocketAddress address = address(wanted);
    for (int tries = 1;; tries++) {
      id = channel.createId(this::event);
      int errno = listen(address);
      if (errno == 0) {
        break;
      }
      channel.destroyId(id);
      if (errno != Errno.EADDRINUSE || address.getPort() != 0 || tries == TRIES) {
        throw failed(address, errno);
      }
    }
    local = EndpointAddress.of(SocketAddresses.read(id + ID_SOURCE, SocketAddresses.ROOM));
    channel.listeners.add(this);
  }

  /** Replaces a wildcard address by one of this device. A wildcard would listen on all devices, and fail in other network namespaces. */
  private InetSocketAddress address(EndpointAddress wanted) {
    InetSocketAddress given = wanted == null ? null : CmConnection.inet(wanted);
    if (given != null && !given.getAddress().isAnyLocalAddress()) {
      return given;
    }
    InetAddress own = given == null || given.getAddress() instanceof Inet4Address && domain.device().address(true) == null
      ? domain.device().defaultAddress() : domain.device().address(given.getAddress() instanceof Inet4Address);
    if (own == null) {
      throw new ProviderException(ProviderException.Reason.UNREACHABLE,
        domain.device().name() + " has no IP address to listen at. Give its network interface one");
    }
    return new InetSocketAddress(own, given == null ? 0 : given.getPort());
  }

  private int listen(InetSocketAddress address) {
    try (Scratch socket = Scratch.of(SocketAddresses.ROOM)) {
      SocketAddresses.write(socket.address(), address);
      if (Calls.number(cm.bindAddr, id, socket.address()) != 0) {
        return Errno.last();
      }
      if (!domain.device().isAt(AddressSearch.portOf(id))) {
        return Errno.EADDRNOTAVAIL;
      }
      return Calls.number(cm.listen, id, BACKLOG) != 0 ? Errno.last() : 0;
    }
  }

  private ProviderException failed(InetSocketAddress address, int errno) {
    String who = domain.device().name() + " cannot listen at " + EndpointAddress.of(address);
    return switch (errno) {
      case Errno.EADDRINUSE -> new ProviderException(ProviderException.Reason.ADDRESS_IN_USE, errno, who + ": the port is in "
        + "use" + (domain.device().attributes.iwarp() ? ", perhaps by a TCP socket, with which iWARP shares ports" : "") + ". Choose "
        + "another port");
      case Errno.EADDRNOTAVAIL, Errno.ENODEV, Errno.EINVAL, Errno.ENOENT ->
        new ProviderException(ProviderException.Reason.UNREACHABLE, errno,
          who + ": this is not one of its addresses, which are " + domain.device().addresses);
      default -> CmFailures.unreachable(who, errno, "the system call failed");
    };
  }

  private void event(CmEvent event) {
    if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
      CmRequest request = new CmRequest(this, event);
      waiting.add(request);
      channel.receivers.put(event.id(), cancellation -> request.cancelled());
      handler.connectionRequest(request);
    }
    // DEVICE_REMOVAL needs no action: the endpoints are notified.
  }

  void answered(CmRequest request) {
    waiting.remove(request);
  }

  @Override
  public EndpointAddress localAddress() {
    return local;
  }

  @Override
  public void close() {
    if (id != 0) {
      for (CmRequest request : waiting) {
        request.abandon();
      }
      channel.destroyId(id);
      id = 0;
      channel.listeners.remove(this);
    }
  }
}
