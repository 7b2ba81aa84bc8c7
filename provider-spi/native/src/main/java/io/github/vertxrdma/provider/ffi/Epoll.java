package io.github.vertxrdma.provider.ffi;

import java.lang.foreign.MemorySegment;

/** Set of file descriptors (fds). Its own fd is readable when one of them is; epoll(7). Does not own the added fds. Thread-safe. */
public final class Epoll implements AutoCloseable {
  public static final int IN = 1;
  public static final int OUT = 4;
  /** struct epoll_event is packed on x86-64 and aligned elsewhere. */
  private static final int DATA = System.getProperty("os.arch").equals("amd64") ? 4 : 8;
  public static final int EVENT = DATA + 8;

  private static final long CREATE = Downcall.libc("epoll_create1");
  private static final long CTL = Downcall.libc("epoll_ctl");
  private static final MemorySegment WAIT = Downcall.function("epoll_wait");
  private static final int EPOLL_CLOEXEC = 0x80000;
  private static final int ADD = 1;
  private static final int REMOVE = 2;
  private static final int MODIFY = 3;

  private final int fd = FileDescriptor.check(Calls.number(CREATE, EPOLL_CLOEXEC), "epoll_create1");
  private boolean closed;

  /** Adds an fd, level-triggered, for reading. {@link #data} of its events is the fd. */
  public void add(int other) {
    add(other, IN, other);
  }

  /**
   * Adds an fd, level-triggered.
   *
   * @param events {@link #IN}, {@link #OUT} or both; errors are always reported
   */
  public void add(int other, int events, long data) {
    control(ADD, other, events, data);
  }

  public void modify(int other, int events, long data) {
    control(MODIFY, other, events, data);
  }

  public void remove(int other) {
    control(REMOVE, other, 0, 0);
  }

  public int fd() {
    return fd;
  }

  /** Calls epoll_wait(2) without waiting. Returns the number of events of {@link #EVENT} bytes; negative on failure. */
  public int ready(long events, int most) {
    return (int) Calls.plain(WAIT, fd, events, most, 0);
  }

  /** Returns the bits {@link #IN} and {@link #OUT}, and those of errors and hang-ups. */
  public static int events(long events, int index) {
    return Memory.getInt(events + (long) index * EVENT);
  }

  public static long data(long events, int index) {
    return Memory.getLong(events + (long) index * EVENT + DATA);
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      FileDescriptor.close(fd);
    }
  }

  private void control(int operation, int other, int events, long data) {
    try (Scratch event = Scratch.of(16)) {
      Memory.putInt(event.address(), events);
      Memory.putLong(event.address() + DATA, data);
      FileDescriptor.check(Calls.number(CTL, fd, operation, other, event.address()), "epoll_ctl of fd " + other);
    }
  }
}
