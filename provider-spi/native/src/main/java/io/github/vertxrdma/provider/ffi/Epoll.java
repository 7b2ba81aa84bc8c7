package io.github.vertxrdma.provider.ffi;

import java.lang.invoke.MethodHandle;

/**
 * An epoll instance: joins several fds (a completion queue's and an event queue's) to one that is readable when one of them is, and
 * which nests into another; epoll(7). Owns its own fd, not those added. Used from any thread.
 */
public final class Epoll implements AutoCloseable {
  private static final MethodHandle CREATE = Downcall.capturing(int.class, int.class);
  private static final MethodHandle CTL = Downcall.capturing(int.class, int.class, int.class, int.class, long.class);
  private static final long CREATE_ADDRESS = Downcall.libc("epoll_create1");
  private static final long CTL_ADDRESS = Downcall.libc("epoll_ctl");
  private static final int EPOLL_CLOEXEC = 0x80000;
  private static final int ADD = 1;
  private static final int REMOVE = 2;
  private static final int EPOLLIN = 1;
  /** struct epoll_event is packed on x86-64 and aligned elsewhere. */
  private static final int DATA = System.getProperty("os.arch").equals("amd64") ? 4 : 8;

  private final int fd;
  private boolean closed;

  public Epoll() {
    try {
      int created = (int) CREATE.invokeExact(CREATE_ADDRESS, Errno.state(), EPOLL_CLOEXEC);
      fd = FileDescriptor.check(created, "epoll_create1");
    } catch (Throwable t) {
      throw Memory.rethrow(t);
    }
  }

  /** Adds an fd, level-triggered, for reading. */
  public void add(int other) {
    control(ADD, other);
  }

  /** Takes an fd out, before it is closed. */
  public void remove(int other) {
    control(REMOVE, other);
  }

  /** Readable while one of those added is. */
  public int fd() {
    return fd;
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      FileDescriptor.close(fd);
    }
  }

  private void control(int operation, int other) {
    long event = Memory.allocate(16);
    try {
      Memory.putInt(event, EPOLLIN);
      Memory.putInt(event + DATA, other);
      int done = (int) CTL.invokeExact(CTL_ADDRESS, Errno.state(), fd, operation, other, event);
      FileDescriptor.check(done, "epoll_ctl of fd " + other);
    } catch (Throwable t) {
      throw Memory.rethrow(t);
    } finally {
      Memory.free(event);
    }
  }
}
