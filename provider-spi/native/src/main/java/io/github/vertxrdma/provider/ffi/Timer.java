package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.ProviderException;
import java.lang.foreign.MemorySegment;

/**
 * Timer whose file descriptor becomes readable at a set time; timerfd_create(2). Used by one thread at a time. To save system calls, a set
 * time is replaced only by an earlier one: the descriptor may become readable too early.
 */
public final class Timer implements AutoCloseable {
  private static final MemorySegment SET = Downcall.function("timerfd_settime");

  private final int fd;
  private final long spec = Memory.allocate(32);
  /** {@link System#nanoTime} of the expiry. Valid only if {@link #set} is true. */
  private long due;
  private boolean set;
  private boolean closed;

  public Timer() {
    try {
      fd = FileDescriptor.timer();
    } catch (ProviderException e) {
      Memory.free(spec);
      throw e;
    }
  }

  public int fd() {
    return fd;
  }

  /** Makes the descriptor readable within this time. @param millis 0 for no limit */
  public void within(long millis) {
    if (!set && millis == 0) {
      return;
    }
    long now = System.nanoTime();
    boolean past = set && due - now <= 0;
    if (millis == 0) {
      if (past) {
        set(0);
      }
    } else if (!set || past || due - now > millis * 1_000_000) {
      due = now + millis * 1_000_000;
      set(millis);
    }
  }

  private void set(long millis) {
    set = millis > 0;
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
