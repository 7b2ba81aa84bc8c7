package io.github.vertxrdma.grpc.impl;

import io.vertx.core.net.Address;
import io.vertx.core.net.SocketAddress;

/**
 * Destination of calls: all servers with a name, or a host and port.
 *
 * @param name null for a host and port
 */
public record Destination(String name, SocketAddress address) {
  private static final String SCHEME = "rdma:";

  public static SocketAddress address(String name) {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("the name of a server must not be empty");
    }
    return SocketAddress.domainSocketAddress(SCHEME + name);
  }

  static Destination of(Address address) {
    if (address instanceof SocketAddress socket) {
      if (socket.isInetSocket()) {
        return new Destination(null, socket);
      }
      if (socket.path().startsWith(SCHEME) && !socket.path().startsWith(SCHEME + "//")) {
        return new Destination(socket.path().substring(SCHEME.length()), socket);
      }
    }
    throw new IllegalArgumentException("cannot call " + address + ": use RdmaGrpcClient.address(name), or a host and port");
  }

  @Override
  public String toString() {
    return name != null ? '\'' + name + '\'' : address.toString();
  }
}
