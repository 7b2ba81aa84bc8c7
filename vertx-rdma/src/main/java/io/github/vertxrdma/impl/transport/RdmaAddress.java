package io.github.vertxrdma.impl.transport;

import java.io.Serial;
import java.net.SocketAddress;

/**
 * A host and port that are to be reached over a fabric, and not by TCP. Vert.x knows inet and domain-socket addresses only, and hands the
 * path of the latter to the transport as it is: that is where {@code rdma://host:port} comes from.
 */
final class RdmaAddress extends SocketAddress {
  @Serial
  private static final long serialVersionUID = 1;
  private static final String SCHEME = "rdma://";

  private final String text;

  private RdmaAddress(String text) {
    this.text = text;
  }

  /** Null for an address of another kind. A fabric's address with a mistake in it is told by {@link #host} and {@link #port}. */
  static RdmaAddress of(io.vertx.core.net.SocketAddress address) {
    return address.isDomainSocket() && address.path().startsWith(SCHEME) ? new RdmaAddress(address.path()) : null;
  }

  /** @throws IllegalArgumentException if there is none */
  String host() {
    int colon = colon();
    String host = text.substring(SCHEME.length(), colon);
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }

  /** @throws IllegalArgumentException if there is none */
  int port() {
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
    return new IllegalArgumentException("'" + text + "' is no address of a fabric: write rdma://host:port, with a port from 1 to 65535");
  }

  @Override
  public String toString() {
    return text;
  }
}
