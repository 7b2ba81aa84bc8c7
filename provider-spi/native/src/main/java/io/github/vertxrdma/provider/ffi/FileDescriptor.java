package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.ProviderException;
import java.lang.invoke.MethodHandle;

/** System calls on file descriptors that providers need: eventfd(2), poll(2), read(2), write(2), fcntl(2), close(2). */
public final class FileDescriptor {
  private static final MethodHandle EVENTFD = Downcall.capturing(int.class, int.class, int.class);
  private static final MethodHandle POLL = Downcall.of(int.class, long.class, long.class, int.class);
  private static final MethodHandle TRANSFER = Downcall.of(long.class, int.class, long.class, long.class);
  private static final MethodHandle FCNTL = Downcall.variadic(2, int.class, int.class, int.class, int.class);
  private static final MethodHandle CLOSE = Downcall.of(int.class, int.class);
  private static final long EVENTFD_ADDRESS = Downcall.libc("eventfd");
  private static final long POLL_ADDRESS = Downcall.libc("poll");
  private static final long READ_ADDRESS = Downcall.libc("read");
  private static final long WRITE_ADDRESS = Downcall.libc("write");
  private static final long FCNTL_ADDRESS = Downcall.libc("fcntl");
  private static final long CLOSE_ADDRESS = Downcall.libc("close");
  private static final int EFD_NONBLOCK_CLOEXEC = 0x80800;
  private static final int F_SETFD = 2;
  private static final int F_GETFL = 3;
  private static final int F_SETFL = 4;
  private static final int O_NONBLOCK = 0x800;
  private static final short POLLIN = 1;

  private FileDescriptor() {
  }

  /** A non-blocking eventfd, closed on exec. */
  public static int event() {
    try {
      int fd = (int) EVENTFD.invokeExact(EVENTFD_ADDRESS, Errno.state(), 0, EFD_NONBLOCK_CLOEXEC);
      return check(fd, "eventfd");
    } catch (Throwable t) {
      throw Memory.rethrow(t);
    }
  }

  /** Waits until it is readable. @return true if it is, false after the timeout; 0 does not wait, -1 waits for ever */
  public static boolean readable(int fd, int timeoutMillis) {
    long pollfd = Memory.allocate(8);
    try {
      Memory.putInt(pollfd, fd);
      Memory.putShort(pollfd + 4, POLLIN);
      return (int) POLL.invokeExact(POLL_ADDRESS, pollfd, 1L, timeoutMillis) > 0;
    } catch (Throwable t) {
      throw Memory.rethrow(t);
    } finally {
      Memory.free(pollfd);
    }
  }

  /** read(2). @return bytes read, negative on failure */
  public static long read(int fd, long buffer, long length) {
    try {
      return (long) TRANSFER.invokeExact(READ_ADDRESS, fd, buffer, length);
    } catch (Throwable t) {
      throw Memory.rethrow(t);
    }
  }

  /** write(2). @return bytes written, negative on failure */
  public static long write(int fd, long buffer, long length) {
    try {
      return (long) TRANSFER.invokeExact(WRITE_ADDRESS, fd, buffer, length);
    } catch (Throwable t) {
      throw Memory.rethrow(t);
    }
  }

  /** Makes reads of it return instead of waiting, and has it closed on exec. */
  public static void nonBlocking(int fd) {
    try {
      int flags = (int) FCNTL.invokeExact(FCNTL_ADDRESS, fd, F_GETFL, 0);
      if (flags < 0 || (int) FCNTL.invokeExact(FCNTL_ADDRESS, fd, F_SETFL, flags | O_NONBLOCK) < 0) {
        throw new ProviderException(ProviderException.Reason.OTHER, "fd " + fd + " could not be made non-blocking");
      }
      int ignored = (int) FCNTL.invokeExact(FCNTL_ADDRESS, fd, F_SETFD, 1);
    } catch (Throwable t) {
      throw Memory.rethrow(t);
    }
  }

  /** close(2). */
  public static void close(int fd) {
    try {
      int ignored = (int) CLOSE.invokeExact(CLOSE_ADDRESS, fd);
    } catch (Throwable t) {
      throw Memory.rethrow(t);
    }
  }

  static int check(int fd, String call) {
    if (fd < 0) {
      int errno = Errno.last();
      throw new ProviderException(errno == Errno.EMFILE ? ProviderException.Reason.LIMIT : ProviderException.Reason.OTHER, errno,
        call + " failed: " + Errno.describe(errno) + (errno == Errno.EMFILE ? " — raise 'ulimit -n'" : ""));
    }
    return fd;
  }
}
