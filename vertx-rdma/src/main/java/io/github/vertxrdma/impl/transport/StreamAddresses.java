package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.NodeEntry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Socket addresses for connections that have no sockets. A host is that of a node's entry in the directory, never one that the peer tells
 * for this connection. The accepting side gives the port, which both ends name; it belongs to no socket.
 */
public final class StreamAddresses {
  private static final int FIRST = 49152;
  private static final AtomicInteger NEXT = new AtomicInteger();

  private StreamAddresses() {
  }

  /** Another port. */
  static int nextPort() {
    return FIRST + Math.floorMod(NEXT.getAndIncrement(), 65536 - FIRST);
  }

  /**
   * The address of a connecting node.
   *
   * @param node the one that connects; null if the directory does not know it
   * @param other the node at the other end
   * @param met the other end's address: that of both where they share a network
   */
  static InetSocketAddress of(NodeEntry node, NodeEntry other, InetAddress met, int port) {
    InetAddress host = node == null ? null : FabricRoutes.host(node);
    if (node != null && FabricRoutes.isInNetworkOf(node, other)) {
      host = met.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : met;
    }
    // An address that is nobody's, where none is known; without a name, as a socket has it.
    return host == null ? new InetSocketAddress(port) : new InetSocketAddress(InetAddress.ofLiteral(host.getHostAddress()), port);
  }

  static byte[] encode(int port) {
    return new byte[] {(byte) (port >>> 8), (byte) port};
  }

  /** The port that the accepting side gave. */
  public static int decode(byte[] bytes) {
    return bytes.length == 2 ? (bytes[0] & 0xff) << 8 | bytes[1] & 0xff : nextPort();
  }
}
