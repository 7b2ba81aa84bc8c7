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

/** File descriptor in an epoll set, as proc_pid_fdinfo(5) lists it. None is found without /proc, or if FI_TCP_IO_URING is set. */
record WatchedSocket(int fd, int events) {
  static final int ROOM = 8 + 128;
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

  static InetSocketAddress localAddress(int fd, long room) {
    return address(GETSOCKNAME, fd, room);
  }

  static InetSocketAddress remoteAddress(int fd, long room) {
    return address(GETPEERNAME, fd, room);
  }

  private static InetSocketAddress address(long function, int fd, long room) {
    Memory.putInt(room, ROOM - 8);
    Memory.fill(room + 8, ROOM - 8, (byte) 0);
    return Calls.number(function, fd, room + 8, room) != 0 ? null : SocketAddresses.read(room + 8, ROOM - 8);
  }
}
