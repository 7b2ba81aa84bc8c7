package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ffi.CHeader;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Memory;
import java.net.InetSocketAddress;

/**
 * Connections of libfabric's tcp that end by this side while the answer to a read comes. From 1.13 to 1.17 the library then frees the read's entry
 * twice, and operations of other connections of the queue share it: messages are lost, and the process crashes. Where the socket ends instead, it
 * finds the read broken, and frees it once.
 */
final class BrokenReads {
  private static final CHeader H = Fi.HEADER;
  private static final long SHUTDOWN = Downcall.libc("shutdown");
  private static final long RECV = Downcall.libc("recv");
  private static final int SHUT_RDWR = H.constant("SHUT_RDWR", 2);
  /** Bytes are thrown away, as tcp(7) says, and not waited for. */
  private static final int DISCARD = H.constant("MSG_TRUNC", 0x20) | H.constant("MSG_DONTWAIT", 0x40);
  private static final int MOST_AT_ONCE = 1 << 30;

  private BrokenReads() {
  }

  /** @param provider of connected endpoints */
  static boolean areFreedTwice(String provider, int version) {
    return provider.equals("tcp") && version >= Fi.version(1, 13) && version < Fi.version(1, 18);
  }

  /**
   * Ends the socket of a connection; nothing is read from it any more.
   *
   * @param completionQueue its fd
   * @return whether it was found
   */
  static boolean endSocket(int completionQueue, EndpointAddress local, EndpointAddress remote) {
    InetSocketAddress here = local.toInet();
    InetSocketAddress there = remote.toInet();
    long room = Memory.allocate(WatchedSocket.ROOM);
    try {
      for (WatchedSocket watched : WatchedSocket.of(completionQueue)) {
        int fd = watched.fd();
        if (there.equals(WatchedSocket.remoteAddress(fd, room)) && here.equals(WatchedSocket.localAddress(fd, room))) {
          Calls.number(SHUTDOWN, fd, SHUT_RDWR);
          while (Calls.number(RECV, fd, 0, MOST_AT_ONCE, DISCARD) > 0) {
            // Thrown away.
          }
          return true;
        }
      }
      return false;
    } finally {
      Memory.free(room);
    }
  }
}
