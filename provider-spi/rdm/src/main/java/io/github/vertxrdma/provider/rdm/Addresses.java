package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Questions about endpoint addresses. */
final class Addresses {
  private Addresses() {
  }

  /** Whether an endpoint bound there is where was asked for: equal, or the port was left open. */
  static boolean covers(EndpointAddress asked, EndpointAddress bound) {
    if (asked.equals(bound)) {
      return true;
    }
    if (!asked.format().equals(EndpointAddress.INET) || !bound.format().equals(EndpointAddress.INET)) {
      return false;
    }
    InetSocketAddress wanted = asked.toInet();
    return wanted.getPort() == 0 && wanted.getAddress().equals(bound.toInet().getAddress());
  }

  /** Bytes it takes in a message. */
  static int size(EndpointAddress address) {
    return address.format().getBytes(StandardCharsets.US_ASCII).length + address.bytes().length;
  }
}
