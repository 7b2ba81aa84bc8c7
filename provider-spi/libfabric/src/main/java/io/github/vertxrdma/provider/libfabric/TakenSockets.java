package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.CHeader;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Epoll;
import io.github.vertxrdma.provider.ffi.Memory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds, in the epoll set of the event queue, sockets that libfabric's tcp has accepted and that have not sent a request. They are reset
 * when their listener closes, because the library would otherwise read freed memory.
 */
final class TakenSockets {
  private static final CHeader H = Fi.HEADER;
  private static final int AF_UNSPEC = H.constant("AF_UNSPEC", 0);
  private static final int SOL_SOCKET = H.constant("SOL_SOCKET", 1);
  private static final int SO_ACCEPTCONN = H.constant("SO_ACCEPTCONN", 30);
  private static final long CONNECT = Downcall.libc("connect");
  private static final long GETSOCKOPT = Downcall.libc("getsockopt");

  private TakenSockets() {
  }

  /** Returns the sockets of a listener. {@code eventQueue} is the event queue's fd. */
  static List<Integer> of(int eventQueue, int port) {
    long room = Memory.allocate(WatchedSocket.ROOM);
    try {
      List<Integer> found = new ArrayList<>();
      List<WatchedSocket> outer = WatchedSocket.of(eventQueue);
      find(outer, port, room, found);
      for (WatchedSocket inner : outer) {
        // From libfabric 1.18 on, the sockets are in an epoll set that is nested in the event queue's set.
        find(WatchedSocket.of(inner.fd()), port, room, found);
      }
      return found;
    } finally {
      Memory.free(room);
    }
  }

  /** Resets sockets. The library closes them when the event queue is read next. */
  static void reset(List<Integer> fds) {
    long room = Memory.allocate(WatchedSocket.ROOM);
    try {
      for (int fd : fds) {
        Memory.fill(room, WatchedSocket.ROOM, (byte) 0);
        Memory.putShort(room, (short) AF_UNSPEC);
        Calls.number(CONNECT, fd, room, WatchedSocket.ROOM - 8);
      }
    } finally {
      Memory.free(room);
    }
  }

  private static void find(List<WatchedSocket> all, int port, long room, List<Integer> found) {
    List<WatchedSocket> ours = all.stream().filter(watched -> port(watched.fd(), room) == port).toList();
    if (ours.stream().noneMatch(watched -> isListening(watched.fd(), room))) {
      return;
    }
    for (WatchedSocket watched : ours) {
      // Sockets that wait for output already have an endpoint.
      if ((watched.events() & Epoll.OUT) == 0 && !isListening(watched.fd(), room)) {
        found.add(watched.fd());
      }
    }
  }

  private static int port(int fd, long room) {
    InetSocketAddress address = WatchedSocket.localAddress(fd, room);
    return address == null ? 0 : address.getPort();
  }

  private static boolean isListening(int fd, long room) {
    Memory.putInt(room, 4);
    Memory.putInt(room + 8, 0);
    return Calls.number(GETSOCKOPT, fd, SOL_SOCKET, SO_ACCEPTCONN, room + 8, room) == 0 && Memory.getInt(room + 8) != 0;
  }
}
