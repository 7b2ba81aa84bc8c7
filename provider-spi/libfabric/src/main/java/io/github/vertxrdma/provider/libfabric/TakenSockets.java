package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.CHeader;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Epoll;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Sockets that libfabric's tcp has taken from a listening one and whose request has not come. The library names them nowhere, forgets to close them when
 * their listener closes, and would then read its freed memory. The event queue's epoll has them, beside the listening one; proc_pid_fdinfo(5) lists what
 * an epoll watches. Nothing is found where there is no /proc, or no epoll (FI_TCP_IO_URING). Used by the thread that polls the event queue.
 */
final class TakenSockets {
  private static final CHeader H = Fi.HEADER;
  private static final int AF_UNSPEC = H.constant("AF_UNSPEC", 0);
  private static final int SOL_SOCKET = H.constant("SOL_SOCKET", 1);
  private static final int SO_ACCEPTCONN = H.constant("SO_ACCEPTCONN", 30);
  private static final long CONNECT = Downcall.libc("connect");
  private static final long GETSOCKNAME = Downcall.libc("getsockname");
  private static final long GETSOCKOPT = Downcall.libc("getsockopt");
  private static final Path FDINFO = Path.of("/proc/self/fdinfo");
  /** Room for a struct sockaddr_storage, behind a length. */
  private static final int ROOM = 8 + 128;

  private TakenSockets() {
  }

  /** An fd that an epoll watches, and for which events. */
  private record Watched(int fd, int events) {
  }

  /**
   * Resets them, as the system does with connections that nobody took when their listener closes: the next read of the event queue finds them broken and
   * closes them.
   *
   * @param eventQueue its fd
   * @param port of the listener
   * @return whether there were any
   */
  static boolean reset(int eventQueue, int port) {
    long room = Memory.allocate(ROOM);
    try {
      List<Watched> outer = watched(eventQueue);
      boolean found = reset(outer, port, room);
      for (Watched inner : outer) {
        // From 1.18 on the event queue has an epoll of its own for them, and others for the endpoints of its domains.
        found |= reset(watched(inner.fd), port, room);
      }
      return found;
    } finally {
      Memory.free(room);
    }
  }

  private static boolean reset(List<Watched> all, int port, long room) {
    List<Watched> ours = all.stream().filter(watched -> port(watched.fd, room) == port).toList();
    if (ours.stream().noneMatch(watched -> isListening(watched.fd, room))) {
      return false;
    }
    boolean found = false;
    for (Watched watched : ours) {
      // An accepted one, of which an endpoint was made, waits until it can send its answer.
      if ((watched.events & Epoll.OUT) == 0 && !isListening(watched.fd, room)) {
        Memory.fill(room, ROOM, (byte) 0);
        Memory.putShort(room, (short) AF_UNSPEC);
        Calls.number(CONNECT, watched.fd, room, ROOM - 8);
        found = true;
      }
    }
    return found;
  }

  /** Lines are such as {@code tfd: 12 events: 19 data: 7f00…}, with events in hexadecimal; none if the fd is no epoll. */
  private static List<Watched> watched(int epoll) {
    List<Watched> all = new ArrayList<>();
    try {
      for (String line : Files.readAllLines(FDINFO.resolve(Integer.toString(epoll)))) {
        String[] words = line.strip().split("\\s+");
        if (words.length > 3 && words[0].equals("tfd:") && words[2].equals("events:")) {
          all.add(new Watched(Integer.parseInt(words[1]), Integer.parseUnsignedInt(words[3], 16)));
        }
      }
    } catch (IOException e) {
      // Without /proc nothing is known.
    }
    return all;
  }

  /** The local port of an IP socket; 0 if it is none. */
  private static int port(int fd, long room) {
    Memory.putInt(room, ROOM - 8);
    Memory.fill(room + 8, ROOM - 8, (byte) 0);
    InetSocketAddress address = Calls.number(GETSOCKNAME, fd, room + 8, room) != 0 ? null : SocketAddresses.read(room + 8, ROOM - 8);
    return address == null ? 0 : address.getPort();
  }

  private static boolean isListening(int fd, long room) {
    Memory.putInt(room, 4);
    Memory.putInt(room + 8, 0);
    return Calls.number(GETSOCKOPT, fd, SOL_SOCKET, SO_ACCEPTCONN, room + 8, room) == 0 && Memory.getInt(room + 8) != 0;
  }
}
