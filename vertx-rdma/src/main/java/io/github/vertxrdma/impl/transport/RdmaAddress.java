package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.impl.node.Node;
import io.vertx.core.Future;
import io.vertx.core.internal.VertxInternal;
import java.io.Serial;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Address {@code rdma://host:port}, reached over a fabric only. Vert.x passes it as the path of a domain socket address. */
final class RdmaAddress extends SocketAddress {
  @Serial
  private static final long serialVersionUID = 1;
  private static final String SCHEME = "rdma://";

  private final String text;

  private RdmaAddress(String text) {
    this.text = text;
  }

  static RdmaAddress of(io.vertx.core.net.SocketAddress address) {
    return address.isDomainSocket() && address.path().startsWith(SCHEME) ? new RdmaAddress(address.path()) : null;
  }

  /** Resolves the host. Fails with {@link IllegalArgumentException} if the text is not such an address. */
  Future<InetSocketAddress> resolve(VertxInternal vertx, RdmaOptions options) {
    try {
      int port = port();
      return Node.resolve(vertx, host(), options).map(ip -> new InetSocketAddress(ip, port));
    } catch (IllegalArgumentException e) {
      return Future.failedFuture(e);
    }
  }

  String host() {
    int colon = colon();
    String host = text.substring(SCHEME.length(), colon);
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }

  private int port() {
    int port;
    try {
      port = Integer.parseInt(text, colon() + 1, text.length(), 10);
    } catch (NumberFormatException e) {
      throw wrong();
    }
    if (port < 1 || port > 65535) {
      throw wrong();
    }
    return port;
  }

  private int colon() {
    int colon = text.lastIndexOf(':');
    if (colon <= SCHEME.length()) {
      throw wrong();
    }
    return colon;
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("'" + text + "' is not an address of a fabric. Write rdma://host:port, with a port from 1 "
      + "to 65535");
  }

  @Override
  public String toString() {
    return text;
  }
}
