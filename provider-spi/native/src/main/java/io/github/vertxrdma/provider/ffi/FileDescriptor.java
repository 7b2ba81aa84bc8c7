package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.lang.foreign.MemorySegment;

public final class FileDescriptor {
  private static final long EVENTFD = Downcall.libc("eventfd");
  private static final long TIMERFD_CREATE = Downcall.libc("timerfd_create");
  private static final MemorySegment POLL = Downcall.function("poll");
  private static final MemorySegment READ = Downcall.function("read");
  private static final MemorySegment WRITE = Downcall.function("write");
  private static final MemorySegment FCNTL = Downcall.function("fcntl");
  private static final MemorySegment CLOSE = Downcall.function("close");
  private static final int NONBLOCK_CLOEXEC = 0x80800;
  private static final int CLOCK_MONOTONIC = 1;
  private static final int F_SETFD = 2;
  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int O_NONBLOCK = 0x800;
  private static final short POLLIN = 1;

  private FileDescriptor() {
  }

  public static int event() {
    return check(Calls.number(EVENTFD, 0, NONBLOCK_CLOEXEC), "eventfd");
  }

  public static int timer() {
    return check(Calls.number(TIMERFD_CREATE, CLOCK_MONOTONIC, NONBLOCK_CLOEXEC), "timerfd_create");
  }

  /**
   * Waits until a file descriptor is readable.
   *
   * @param timeoutMillis 0 does not wait, -1 waits forever
   * @return false after the timeout
   */
  public static boolean readable(int fd, int timeoutMillis) {
    try (Scratch pollfd = Scratch.of(8)) {
      Memory.putInt(pollfd.address(), fd);
      Memory.putShort(pollfd.address() + 4, POLLIN);
      return (int) Calls.plain(POLL, pollfd.address(), 1, timeoutMillis) > 0;
    }
  }

  public static long read(int fd, long buffer, long length) {
    return Calls.plain(READ, fd, buffer, length);
  }

  /** Calls write(2). @return negative on failure */
  public static long write(int fd, long buffer, long length) {
    return Calls.plain(WRITE, fd, buffer, length);
  }

  public static void nonBlocking(int fd) {
    int flags = (int) Calls.plain(FCNTL, fd, F_GETFL);
    if (flags < 0 || (int) Calls.plain(FCNTL, fd, F_SETFL, flags | O_NONBLOCK) < 0) {
      throw new ProviderException(Reason.OTHER, "cannot set fd " + fd + " to non-blocking mode");
    }
    Calls.plain(FCNTL, fd, F_SETFD, 1);
  }

  public static void close(int fd) {
    Calls.plain(CLOSE, fd);
  }

  /**
   * Returns the result of a call.
   *
   * @throws ProviderException with errno; {@code LIMIT} if a limit of the system was reached
   */
  public static int check(int result, String call) {
    if (result < 0) {
      throw failure(call, Errno.last());
    }
    return result;
  }

  static ProviderException failure(String call, int errno) {
    String remedy = switch (errno) {
      case Errno.EMFILE -> " — raise 'ulimit -n'";
      case Errno.ENFILE -> " — raise 'sysctl fs.file-max'";
      case Errno.ENOMEM -> " — give this machine, or its container, more memory";
      case Errno.ENOSPC -> " — raise 'sysctl fs.epoll.max_user_watches'";
      default -> "";
    };
    return new ProviderException(remedy.isEmpty() ? Reason.OTHER : Reason.LIMIT, errno,
      call + " failed: " + Errno.describe(errno) + remedy);
  }
}
