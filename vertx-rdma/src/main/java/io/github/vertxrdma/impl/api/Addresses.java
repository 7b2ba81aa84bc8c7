package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.net.SocketAddress;

/** Fabric addresses as Vert.x addresses: host and port, or a domain socket address of device and name. */
final class Addresses {
  private Addresses() {
  }

  static SocketAddress of(EndpointAddress address, FabricChoice choice) {
    return address == null ? null : address.format().equals(EndpointAddress.INET) ? SocketAddress.inetSocketAddress(address.toInet())
      : SocketAddress.domainSocketAddress(choice.device() + ':' + address);
  }
}
