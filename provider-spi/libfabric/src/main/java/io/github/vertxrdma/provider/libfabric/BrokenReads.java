package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ffi.CHeader;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import java.net.InetSocketAddress;

/**
 * Ends connections of libfabric's tcp provider while a read is in flight. In libfabric 1.17, fi_shutdown(3) and fi_close(3) free the read's
 * entry twice if its answer is arriving. Two operations would then share the entry. If the socket is shut down first, the entry is freed
 * once.
 */
final class BrokenReads {
  private static final CHeader H = Fi.HEADER;
  private static final long SHUTDOWN = Downcall.libc("shutdown");
  private static final long RECV = Downcall.libc("recv");
  private static final int SHUT_RDWR = H.constant("SHUT_RDWR", 2);
  /** Flags of recv(2) that discard bytes without waiting; tcp(7). */
  private static final int DISCARD = H.constant("MSG_TRUNC", 0x20) | H.constant("MSG_DONTWAIT", 0x40);
  private static final int MOST_AT_ONCE = 1 << 30;

  private BrokenReads() {
  }

  static boolean areFreedTwice(FabricDevice device) {
    return device.info.provider().equals("tcp") && device.library.version < Fi.version(1, 18);
  }

  /** Shuts down the socket of a connection. Returns true if the socket was found. */
  static boolean endSocket(int completionQueue, EndpointAddress local, EndpointAddress remote) {
    InetSocketAddress here = local.toInet();
    InetSocketAddress there = remote.toInet();
    for (WatchedSocket socket : WatchedSocket.of(completionQueue)) {
      if (there.equals(socket.remoteAddress()) && here.equals(socket.localAddress())) {
        Calls.number(SHUTDOWN, socket.fd(), SHUT_RDWR);
        while (Calls.number(RECV, socket.fd(), 0, MOST_AT_ONCE, DISCARD) > 0) {
        }
        return true;
      }
    }
    return false;
  }
}
