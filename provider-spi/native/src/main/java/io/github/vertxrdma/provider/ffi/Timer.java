package io.github.vertxrdma.provider.ffi;

import java.lang.invoke.MethodHandle;

/** A timer whose fd is readable when its time has come; timerfd_create(2). Owns the fd. Used by one thread at a time. */
public final class Timer implements AutoCloseable {
  private static final MethodHandle CREATE = Downcall.capturing(int.class, int.class, int.class);
  private static final MethodHandle SET = Downcall.of(int.class, int.class, int.class, long.class, long.class);
  private static final long CREATE_ADDRESS = Downcall.libc("timerfd_create");
  private static final long SET_ADDRESS = Downcall.libc("timerfd_settime");
  private static final int CLOCK_MONOTONIC = 1;
  private static final int NONBLOCK_CLOEXEC = 0x80800;

  private final int fd;
  /** struct itimerspec. */
  private final long spec = Memory.allocate(32);
  private boolean closed;

  public Timer() {
    try {
      int created = (int) CREATE.invokeExact(CREATE_ADDRESS, Errno.state(), CLOCK_MONOTONIC, NONBLOCK_CLOEXEC);
      fd = FileDescriptor.check(created, "timerfd_create");
    } catch (Throwable t) {
      Memory.free(spec);
      throw Memory.rethrow(t);
    }
  }

  public int fd() {
    return fd;
  }

  /** Makes it readable in so many milliseconds, or never for 0; what was due before is forgotten. */
  public void set(long millis) {
    Memory.putLong(spec + 16, millis / 1000);
    Memory.putLong(spec + 24, millis % 1000 * 1_000_000);
    try {
      int ignored = (int) SET.invokeExact(SET_ADDRESS, fd, 0, spec, 0L);
    } catch (Throwable t) {
      throw Memory.rethrow(t);
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      FileDescriptor.close(fd);
      Memory.free(spec);
    }
  }
}
