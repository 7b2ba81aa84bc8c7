package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.CHeader;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Epoll;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** File descriptor in an epoll set, as proc_pid_fdinfo(5) lists it. None is found without /proc, or if FI_TCP_IO_URING is set. */
record WatchedSocket(int fd, int events) {
  private static final CHeader H = Fi.HEADER;
  private static final int AF_UNSPEC = H.constant("AF_UNSPEC", 0);
  private static final int SOL_SOCKET = H.constant("SOL_SOCKET", 1);
  private static final int SO_ACCEPTCONN = H.constant("SO_ACCEPTCONN", 30);
  private static final int SHUT_RDWR = H.constant("SHUT_RDWR", 2);
  /** Flags of recv(2) that discard bytes without waiting; tcp(7). */
  private static final int DISCARD = H.constant("MSG_TRUNC", 0x20) | H.constant("MSG_DONTWAIT", 0x40);
  private static final int MOST_AT_ONCE = 1 << 30;
  private static final int ADDRESS_SIZE = 128;
  private static final long CONNECT = Downcall.libc("connect");
  private static final long RECV = Downcall.libc("recv");
  private static final long SHUTDOWN = Downcall.libc("shutdown");
  private static final long GETSOCKOPT = Downcall.libc("getsockopt");
  private static final long GETSOCKNAME = Downcall.libc("getsockname");
  private static final long GETPEERNAME = Downcall.libc("getpeername");
  private static final Path FDINFO = Path.of("/proc/self/fdinfo");
  /** Open file, or null. It is closed to make room for reading a list when the process has no file descriptors left. */
  private static FileInputStream spare;

  /** Opens the spare file. Called while the process still has file descriptors. */
  static synchronized void keepSpare() {
    try {
      if (spare == null) {
        spare = new FileInputStream("/dev/null");
      }
    } catch (IOException e) {
      // The process has no file descriptors left.
    }
  }

  private static List<String> lines(Path file) throws IOException {
    try {
      return Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (IOException e) {
      return linesBySpare(file);
    }
  }

  private static synchronized List<String> linesBySpare(Path file) throws IOException {
    if (spare != null) {
      spare.close();
      spare = null;
    }
    try {
      return Files.readAllLines(file);
    } finally {
      keepSpare();
    }
  }

  /** Returns the file descriptors of an epoll set. Parses lines such as {@code tfd: 12 events: 19 data: 7f00…}. */
  static List<WatchedSocket> of(int epoll) {
    List<WatchedSocket> all = new ArrayList<>();
    try {
      for (String line : lines(FDINFO.resolve(Integer.toString(epoll)))) {
        String[] words = line.strip().split("\\s+");
        if (words.length > 3 && words[0].equals("tfd:") && words[2].equals("events:")) {
          all.add(new WatchedSocket(Integer.parseInt(words[1]), Integer.parseUnsignedInt(words[3], 16)));
        }
      }
    } catch (IOException e) {
      // Without /proc no socket is found.
    }
    return all;
  }

  /**
   * Finds the sockets of a listener that libfabric's tcp has accepted and that have not sent a request.
   *
   * @param eventQueue fd of the event queue
   */
  static List<WatchedSocket> withoutRequest(int eventQueue, int port) {
    List<WatchedSocket> outer = of(eventQueue);
    List<WatchedSocket> found = new ArrayList<>(withoutRequest(outer, port));
    // From libfabric 1.18 on, the sockets are in an epoll set that is nested in the event queue's set.
    outer.forEach(inner -> found.addAll(withoutRequest(of(inner.fd), port)));
    return found;
  }

  private static List<WatchedSocket> withoutRequest(List<WatchedSocket> all, int port) {
    List<WatchedSocket> ours = all.stream()
      .filter(socket -> socket.localAddress() instanceof InetSocketAddress own && own.getPort() == port)
      .toList();
    // Sockets that wait for output already have an endpoint.
    return ours.stream().noneMatch(WatchedSocket::isListening) ? List.of()
      : ours.stream().filter(socket -> (socket.events & Epoll.OUT) == 0 && !socket.isListening()).toList();
  }

  private boolean isListening() {
    try (Scratch scratch = Scratch.of(16)) {
      long length = scratch.address();
      Memory.putInt(length, 4);
      return Calls.number(GETSOCKOPT, fd, SOL_SOCKET, SO_ACCEPTCONN, length + 8, length) == 0 && Memory.getInt(length + 8) != 0;
    }
  }

  /** Resets the socket. The library closes it when the event queue is read next. */
  void reset() {
    try (Scratch address = Scratch.of(ADDRESS_SIZE)) {
      Memory.putShort(address.address(), (short) AF_UNSPEC);
      Calls.number(CONNECT, fd, address.address(), ADDRESS_SIZE);
    }
  }

  /** Shuts down the socket, and discards the bytes that have arrived. */
  void shutDown() {
    Calls.number(SHUTDOWN, fd, SHUT_RDWR);
    while (Calls.number(RECV, fd, 0, MOST_AT_ONCE, DISCARD) > 0) {
    }
  }

  InetSocketAddress localAddress() {
    return address(GETSOCKNAME);
  }

  InetSocketAddress remoteAddress() {
    return address(GETPEERNAME);
  }

  private InetSocketAddress address(long function) {
    try (Scratch scratch = Scratch.of(8 + ADDRESS_SIZE)) {
      long length = scratch.address();
      Memory.putInt(length, ADDRESS_SIZE);
      return Calls.number(function, fd, length + 8, length) != 0 ? null : SocketAddresses.read(length + 8, ADDRESS_SIZE);
    }
  }
}
