package io.github.vertxrdma.provider.ffi;

/** System calls on sockets; socket(7). They return a negative errno on failure. */
public final class SocketCalls {
  public static final int SOL_SOCKET = 1;
  private static final int NONBLOCK_CLOEXEC = 0x80800;

  private static final long SOCKET = Downcall.libc("socket");
  private static final long BIND = Downcall.libc("bind");
  private static final long CONNECT = Downcall.libc("connect");
  private static final long LISTEN = Downcall.libc("listen");
  private static final long ACCEPT4 = Downcall.libc("accept4");
  private static final long SHUTDOWN = Downcall.libc("shutdown");
  private static final long SETSOCKOPT = Downcall.libc("setsockopt");
  private static final long GETSOCKOPT = Downcall.libc("getsockopt");

  private SocketCalls() {
  }

  /** Creates a non-blocking socket, closed on exec. */
  public static int socket(int family, int type) {
    return result(Calls.number(SOCKET, family, type | NONBLOCK_CLOEXEC, 0));
  }

  public static int bind(int fd, long address, int length) {
    return result(Calls.number(BIND, fd, address, length));
  }

  public static int connect(int fd, long address, int length) {
    return result(Calls.number(CONNECT, fd, address, length));
  }

  public static int listen(int fd, int backlog) {
    return result(Calls.number(LISTEN, fd, backlog));
  }

  /** Accepts a non-blocking socket, closed on exec. */
  public static int accept(int fd) {
    return result(Calls.number(ACCEPT4, fd, 0, 0, NONBLOCK_CLOEXEC));
  }

  public static int shutdown(int fd, int how) {
    return result(Calls.number(SHUTDOWN, fd, how));
  }

  public static int setOption(int fd, int level, int option, int value) {
    long memory = Memory.allocate(4);
    try {
      Memory.putInt(memory, value);
      return result(Calls.number(SETSOCKOPT, fd, level, option, memory, 4));
    } finally {
      Memory.free(memory);
    }
  }

  /** Reads an option. @param length address of an int with the bytes of {@code value}, which becomes the length of the option */
  public static int getOption(int fd, int level, int option, long value, long length) {
    return result(Calls.number(GETSOCKOPT, fd, level, option, value, length));
  }

  private static int result(int returned) {
    return returned < 0 ? -Errno.last() : returned;
  }
}
