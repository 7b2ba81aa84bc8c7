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
 * Finds sockets that libfabric's tcp has accepted and whose request has not come, in the epoll set of the event queue. They are reset when
 * their listener closes, because the library would read freed memory otherwise. Used by the thread that polls the event queue.
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

  /** Finds the sockets. @param eventQueue fd of the event queue @param port of the listener */
  static List<Integer> of(int eventQueue, int port) {
    long room = Memory.allocate(WatchedSocket.ROOM);
    try {
      List<Integer> found = new ArrayList<>();
      List<WatchedSocket> outer = WatchedSocket.of(eventQueue);
      find(outer, port, room, found);
      for (WatchedSocket inner : outer) {
        // From 1.18 on, the sockets have an epoll set of their own.
        find(WatchedSocket.of(inner.fd()), port, room, found);
      }
      return found;
    } finally {
      Memory.free(room);
    }
  }

  /** Resets sockets. At the next read of the event queue the library closes them. */
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
      // Only sockets with an endpoint wait for output.
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
