package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.ProviderException;
import java.lang.foreign.MemorySegment;

/** A timer whose fd is readable when its time has come; timerfd_create(2). Owns the fd. Used by one thread at a time. */
public final class Timer implements AutoCloseable {
  private static final long CREATE = Downcall.libc("timerfd_create");
  private static final MemorySegment SET = Downcall.function("timerfd_settime");
  private static final int CLOCK_MONOTONIC = 1;
  private static final int NONBLOCK_CLOEXEC = 0x80800;

  private final int fd;
  /** struct itimerspec. */
  private final long spec = Memory.allocate(32);
  private boolean closed;

  public Timer() {
    try {
      fd = FileDescriptor.check(Calls.number(CREATE, CLOCK_MONOTONIC, NONBLOCK_CLOEXEC), "timerfd_create");
    } catch (ProviderException e) {
      Memory.free(spec);
      throw e;
    }
  }

  public int fd() {
    return fd;
  }

  /** Makes it readable in so many milliseconds, or never for 0; what was due before is forgotten. */
  public void set(long millis) {
    Memory.putLong(spec + 16, millis / 1000);
    Memory.putLong(spec + 24, millis % 1000 * 1_000_000);
    Calls.plain(SET, fd, 0, spec, 0);
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
