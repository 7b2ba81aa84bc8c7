package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.net.SocketAddress;

/** Addresses of a fabric as those of Vert.x: host and port where it has them, else a domain socket's with the device and a name. */
final class Addresses {
  private Addresses() {
  }

  /** Null for what the fabric does not tell. */
  static SocketAddress of(EndpointAddress address, FabricChoice choice) {
    return address == null ? null : address.format().equals(EndpointAddress.INET) ? SocketAddress.inetSocketAddress(address.toInet())
      : SocketAddress.domainSocketAddress(choice.device() + ':' + address);
  }
}
