package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * System calls on TCP sockets; they return a negative errno on failure. The calls made for each message return only -1, because capturing
 * errno doubles their cost. {@link #receiveAgain} and {@link #sendAgain} repeat such a call and return errno.
 */
final class LinuxCalls {
  private static final int SOCK_STREAM = 1;
  private static final int NONBLOCK_CLOEXEC = 0x80800;
  private static final int SOL_SOCKET = 1;
  private static final int SO_REUSEADDR = 2;
  private static final int SO_ERROR = 4;
  private static final int IPPROTO_TCP = 6;
  private static final int TCP_NODELAY = 1;
  private static final int SHUT_WR = 1;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int MSG_MORE = 0x8000;
  /** Size in bytes of a struct msghdr (iov at 16, its count at 24) followed by two struct iovec. */
  static final int MESSAGE = 88;
  private static final int MESSAGE_VECTOR = 16;
  private static final int MESSAGE_COUNT = 24;
  private static final int VECTOR = 56;
  private static final int VECTOR_SIZE = 16;

  private static final MemorySegment RECEIVE = function("recv");
  private static final MemorySegment SEND = function("send");
  private static final MemorySegment SENDMSG = function("sendmsg");
  private static final MemorySegment RECVMSG = function("recvmsg");

  private static final long SOCKET = function("socket").address();
  private static final long BIND = function("bind").address();
  private static final long CONNECT = function("connect").address();
  private static final long LISTEN = function("listen").address();
  private static final long ACCEPT4 = function("accept4").address();
  private static final long SHUTDOWN = function("shutdown").address();
  private static final long GETSOCKNAME = function("getsockname").address();
  private static final long GETPEERNAME = function("getpeername").address();
  private static final long SETSOCKOPT = function("setsockopt").address();
  private static final long GETSOCKOPT = function("getsockopt").address();

  private LinuxCalls() {
  }

  /** Created on first use: a node that only listens does not need the handle. */
  private static final class Transfer {
    /** The last argument is for Java only. It keeps the arena of the memory open during the call. */
    static final MethodHandle CALL = Downcall.of(long.class, long.class, long.class, long.class, long.class, MemorySegment.class);
  }

  private static MemorySegment function(String name) {
    long address = Downcall.libc(name);
    if (address == 0) {
      throw new ProviderException(Reason.TOO_OLD, "nio: the C library has no " + name);
    }
    return MemorySegment.ofAddress(address);
  }

  /** Calls recv(2). @return number of bytes; 0 at the stream's end; -1 on failure */
  static long receive(int fd, long address, long length) {
    return transfer(RECEIVE, fd, address, length, 0, MemorySegment.NULL);
  }

  static long send(int fd, long address, long length, MemorySegment holds) {
    return transfer(SEND, fd, address, length, MSG_NOSIGNAL, holds);
  }

  /** Sends bytes with MSG_MORE: the kernel delays them until further bytes or the end of the stream. */
  static long sendMore(int fd, long address, long length) {
    return transfer(SEND, fd, address, length, MSG_NOSIGNAL | MSG_MORE, MemorySegment.NULL);
  }

  /** Fills a struct msghdr with two ranges of memory. */
  static void message(long message, long first, long firstLength, long second, long secondLength) {
    Memory.putLong(message + MESSAGE_VECTOR, message + VECTOR);
    Memory.putLong(message + MESSAGE_COUNT, 2);
    Memory.putLong(message + VECTOR, first);
    Memory.putLong(message + VECTOR + 8, firstLength);
    Memory.putLong(message + VECTOR + VECTOR_SIZE, second);
    Memory.putLong(message + VECTOR + VECTOR_SIZE + 8, secondLength);
  }

  /** Sends the ranges of a struct msghdr. @param holds keeps the memory of the second range alive */
  static long send(int fd, long message, MemorySegment holds) {
    return transfer(SENDMSG, fd, message, MSG_NOSIGNAL, 0, holds);
  }

  /** Receives into the ranges of a struct msghdr. @param holds keeps the memory of the first range alive */
  static long receive(int fd, long message, MemorySegment holds) {
    return transfer(RECVMSG, fd, message, 0, 0, holds);
  }

  private static long transfer(MemorySegment function, long fd, long a, long b, long c, MemorySegment holds) {
    try {
      return (long) Transfer.CALL.invokeExact(function, fd, a, b, c, holds);
    } catch (Throwable t) {
      throw Calls.rethrow(t);
    }
  }

  static long receiveAgain(int fd, long address, long length) {
    return result(Calls.pointer(RECEIVE.address(), fd, address, length, 0));
  }

  static long sendAgain(int fd, long address, long length) {
    return result(Calls.pointer(SEND.address(), fd, address, length, MSG_NOSIGNAL));
  }

  static long receiveAgain(int fd, long message) {
    return result(Calls.pointer(RECVMSG.address(), fd, message, 0));
  }

  static long sendAgain(int fd, long message) {
    return result(Calls.pointer(SENDMSG.address(), fd, message, MSG_NOSIGNAL));
  }

  static int socket(int family) {
    return result(Calls.number(SOCKET, family, SOCK_STREAM | NONBLOCK_CLOEXEC, 0));
  }

  static int bind(int fd, long address, int length) {
    return result(Calls.number(BIND, fd, address, length));
  }

  static int connect(int fd, long address, int length) {
    return result(Calls.number(CONNECT, fd, address, length));
  }

  static int listen(int fd, int backlog) {
    return result(Calls.number(LISTEN, fd, backlog));
  }

  static int shutdownOutput(int fd) {
    return result(Calls.number(SHUTDOWN, fd, SHUT_WR));
  }

  static int accept(int fd) {
    return result(Calls.number(ACCEPT4, fd, 0, 0, NONBLOCK_CLOEXEC));
  }

  /**
   * @param address memory for a struct sockaddr_storage
   * @param length address of an int with the size of that memory
   */
  static int name(int fd, boolean peer, long address, long length) {
    return result(Calls.number(peer ? GETPEERNAME : GETSOCKNAME, fd, address, length));
  }

  static void reuseAddress(int fd) {
    enable(fd, SOL_SOCKET, SO_REUSEADDR);
  }

  static void prepare(int fd) {
    enable(fd, IPPROTO_TCP, TCP_NODELAY);
  }

  private static void enable(int fd, int level, int option) {
    long value = Memory.allocate(4);
    Memory.putInt(value, 1);
    try {
      Calls.number(SETSOCKOPT, fd, level, option, value, 4);
    } finally {
      Memory.free(value);
    }
  }

  /** Returns SO_ERROR of socket(7), an errno or 0. */
  static int error(int fd) {
    long value = Memory.allocate(8);
    try {
      Memory.putInt(value + 4, 4);
      int done = Calls.number(GETSOCKOPT, fd, SOL_SOCKET, SO_ERROR, value, value + 4);
      return done < 0 ? Errno.last() : Memory.getInt(value);
    } finally {
      Memory.free(value);
    }
  }

  private static int result(int returned) {
    return returned < 0 ? -Errno.last() : returned;
  }

  private static long result(long returned) {
    return returned < 0 ? -Errno.last() : returned;
  }

  static LinuxException failure(int errno) {
    return new LinuxException(errno, Errno.message(errno));
  }
}
