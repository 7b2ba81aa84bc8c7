package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Epoll;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;

/**
 * File descriptors that wake a completion queue's thread. The thread sleeps on their epoll fd, and checks all of them with one poll(2).
 * Confined to one thread, except {@link #wake}.
 */
final class WakeSet implements AutoCloseable {
  private static final MemorySegment POLL = Downcall.function("poll");
  private static final MemorySegment TIMERFD_SETTIME = Downcall.function("timerfd_settime");
  private static final int POLLFD = 8;
  private static final int REVENTS = 6;
  private static final short POLLIN = 1;
  private static final int MOST = 8;

  private final Epoll epoll = new Epoll();
  private int messages = -1;
  private int timer = -1;
  /** Memory of the pollfds, then of a struct itimerspec, which is also the buffer for reads. */
  private final long memory = Memory.allocate(MOST * POLLFD + 32);
  private final long spec = memory + MOST * POLLFD;
  private final long wakeValue = Memory.allocate(Long.BYTES);
  private int count;
  private boolean closed;

  WakeSet() {
    Memory.putLong(wakeValue, 1);
    try {
      messages = FileDescriptor.event();
      timer = FileDescriptor.timer();
      add(messages);
      add(timer);
    } catch (ProviderException e) {
      close();
      throw e;
    }
  }

  /** Adds an fd. Returns its number for {@link #isReady}. */
  int add(int fd) {
    epoll.add(fd);
    Memory.putInt(memory + (long) count * POLLFD, fd);
    Memory.putShort(memory + (long) count * POLLFD + 4, POLLIN);
    return count++;
  }

  int fd() {
    return epoll.fd();
  }

  boolean look() {
    return (int) Calls.plain(POLL, memory, count, 0) > 0;
  }

  boolean isReady(int number) {
    return Memory.getShort(memory + (long) number * POLLFD + REVENTS) != 0;
  }

  /** Wakes the sleeping thread. Has no effect after close, because another file may then have the fd's number. Thread-safe. */
  synchronized void wake() {
    if (!closed) {
      FileDescriptor.write(messages, wakeValue, Long.BYTES);
    }
  }

  /** Makes the epoll fd readable after a time in nanoseconds; 0 for never. */
  void wakeIn(long nanos) {
    Memory.fill(spec, 32, (byte) 0);
    Memory.putLong(spec + 16, nanos / 1_000_000_000);
    Memory.putLong(spec + 24, nanos % 1_000_000_000);
    Calls.plain(TIMERFD_SETTIME, timer, 0, spec, 0);
  }

  void drain() {
    if (isReady(0)) {
      FileDescriptor.read(messages, spec, Long.BYTES);
    }
    if (isReady(1)) {
      FileDescriptor.read(timer, spec, Long.BYTES);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    epoll.close();
    FileDescriptor.close(messages);
    FileDescriptor.close(timer);
    Memory.free(memory);
    Memory.free(wakeValue);
  }
}
