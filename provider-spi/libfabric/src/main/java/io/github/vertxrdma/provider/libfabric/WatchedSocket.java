package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An fd that an epoll of libfabric's watches, as proc_pid_fdinfo(5) lists them. None is found where there is no /proc, or no epoll
 * (FI_TCP_IO_URING).
 *
 * @param events in the bits of epoll_ctl(2)
 */
record WatchedSocket(int fd, int events) {
  /** Room for a struct sockaddr_storage, behind a length. */
  static final int ROOM = 8 + 128;
  private static final long GETSOCKNAME = Downcall.libc("getsockname");
  private static final long GETPEERNAME = Downcall.libc("getpeername");
  private static final Path FDINFO = Path.of("/proc/self/fdinfo");
  /** Descriptor for a list that is to be read while the process has no other; null if it could not be had. */
  private static FileInputStream spare;

  /** Sets a descriptor aside, by which sockets are found also when the process has no other. To be called before there are such sockets. */
  static synchronized void keepSpare() {
    try {
      if (spare == null) {
        spare = new FileInputStream("/dev/null");
      }
    } catch (IOException e) {
      // There is none to spare.
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

  /** Lines are such as {@code tfd: 12 events: 19 data: 7f00…}, with events in hexadecimal; none if the fd is no epoll. */
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
      // Without /proc nothing is known.
    }
    return all;
  }

  /** @param room of {@link #ROOM} @return null if it is no IP socket */
  static InetSocketAddress localAddress(int fd, long room) {
    return address(GETSOCKNAME, fd, room);
  }

  /** @param room of {@link #ROOM} @return null if it is no IP socket that is connected */
  static InetSocketAddress remoteAddress(int fd, long room) {
    return address(GETPEERNAME, fd, room);
  }

  private static InetSocketAddress address(long function, int fd, long room) {
    Memory.putInt(room, ROOM - 8);
    Memory.fill(room + 8, ROOM - 8, (byte) 0);
    return Calls.number(function, fd, room + 8, room) != 0 ? null : SocketAddresses.read(room + 8, ROOM - 8);
  }
}
