package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.NodeEntry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** Socket addresses for connections without sockets: the node's host, and a port number from the acceptor. */
public final class StreamAddresses {
  private static final int FIRST = 49152;
  private static final AtomicInteger NEXT = new AtomicInteger();

  private StreamAddresses() {
  }

  static int nextPort() {
    return FIRST + Math.floorMod(NEXT.getAndIncrement(), 65536 - FIRST);
  }

  /**
   * Returns the address of a connecting node.
   *
   * @param node null if unknown
   * @param met address of the accepting node, used for both nodes in one network
   */
  static InetSocketAddress of(NodeEntry node, NodeEntry other, InetAddress met, int port) {
    InetAddress host = node == null ? null : FabricRoutes.host(node);
    if (node != null && FabricRoutes.isInNetworkOf(node, other)) {
      host = met.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : met;
    }
    return host == null ? new InetSocketAddress(port) : new InetSocketAddress(InetAddress.ofLiteral(host.getHostAddress()), port);
  }

  static byte[] encode(int port) {
    return new byte[] {(byte) (port >>> 8), (byte) port};
  }

  public static int decode(byte[] bytes) {
    return bytes.length == 2 ? (bytes[0] & 0xff) << 8 | bytes[1] & 0xff : nextPort();
  }
}
