package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.SystemError;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import io.github.vertxrdma.provider.ffi.SocketCalls;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;

/**
 * System calls on TCP sockets; they return a negative errno on failure. The calls made for each message do not capture errno, because that
 * doubles their cost. A failed one is repeated by a call that captures errno.
 */
final class LinuxCalls {
  private static final int SOCK_STREAM = 1;
  private static final int SO_REUSEADDR = 2;
  private static final int SO_ERROR = 4;
  private static final int IPPROTO_TCP = 6;
  private static final int TCP_NODELAY = 1;
  private static final int SHUT_WR = 1;
  private static final int MSG_NOSIGNAL = 0x4000;
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

  private static final long GETSOCKNAME = function("getsockname").address();
  private static final long GETPEERNAME = function("getpeername").address();

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

  /**
   * Calls recv(2).
   *
   * @param once true not to repeat a failed call. Its result is then {@code -EAGAIN}
   * @return number of bytes; 0 at the stream's end
   */
  static long receive(int fd, long address, long length, boolean once) {
    return transfer(RECEIVE, fd, address, length, 0, MemorySegment.NULL, once);
  }

  static long send(int fd, long address, long length, MemorySegment holds) {
    return transfer(SEND, fd, address, length, MSG_NOSIGNAL, holds, false);
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
    return transfer(SENDMSG, fd, message, MSG_NOSIGNAL, 0, holds, false);
  }

  /** Receives into the ranges of a struct msghdr. @param holds keeps the memory of the first range alive */
  static long receive(int fd, long message, MemorySegment holds, boolean once) {
    return transfer(RECVMSG, fd, message, 0, 0, holds, once);
  }

  private static long transfer(MemorySegment function, long fd, long a, long b, long c, MemorySegment holds, boolean once) {
    long done;
    try {
      done = (long) Transfer.CALL.invokeExact(function, fd, a, b, c, holds);
    } catch (Throwable t) {
      throw Calls.rethrow(t);
    }
    if (done < 0) {
      return once ? -Errno.EAGAIN : result(Calls.pointer(function.address(), fd, a, b, c));
    }
    return done;
  }

  static int socket(int family) {
    return SocketCalls.socket(family, SOCK_STREAM);
  }

  static int bind(int fd, InetSocketAddress to) {
    return call(fd, to, true);
  }

  static int connect(int fd, InetSocketAddress to) {
    return call(fd, to, false);
  }

  private static int call(int fd, InetSocketAddress to, boolean bind) {
    long address = Memory.allocate(SocketAddresses.ROOM);
    try {
      int length = SocketAddresses.write(address, to);
      return bind ? SocketCalls.bind(fd, address, length) : SocketCalls.connect(fd, address, length);
    } finally {
      Memory.free(address);
    }
  }

  static int shutdownOutput(int fd) {
    return SocketCalls.shutdown(fd, SHUT_WR);
  }

  /** @param peer true for the remote address */
  static InetSocketAddress address(int fd, boolean peer) throws IOException {
    long address = Memory.allocate(SocketAddresses.ROOM + 8);
    long length = address + SocketAddresses.ROOM;
    try {
      Memory.putInt(length, SocketAddresses.ROOM);
      int done = (int) result(Calls.number(peer ? GETPEERNAME : GETSOCKNAME, fd, address, length));
      InetSocketAddress found = done < 0 ? null : SocketAddresses.read(address, SocketAddresses.ROOM);
      if (found == null) {
        throw failure(done < 0 ? -done : Errno.EINVAL);
      }
      return found;
    } finally {
      Memory.free(address);
    }
  }

  static void reuseAddress(int fd) {
    SocketCalls.setOption(fd, SocketCalls.SOL_SOCKET, SO_REUSEADDR, 1);
  }

  static void prepare(int fd) {
    SocketCalls.setOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  }

  /** Returns SO_ERROR of socket(7), an errno or 0. */
  static int error(int fd) {
    long value = Memory.allocate(8);
    try {
      Memory.putInt(value + 4, 4);
      int done = SocketCalls.getOption(fd, SocketCalls.SOL_SOCKET, SO_ERROR, value, value + 4);
      return done < 0 ? -done : Memory.getInt(value);
    } finally {
      Memory.free(value);
    }
  }

  private static long result(long returned) {
    return returned < 0 ? -Errno.last() : returned;
  }

  static Failure failure(int errno) {
    return new Failure(errno, Errno.message(errno));
  }

  static final class Failure extends IOException {
    private static final long serialVersionUID = 1;

    final SystemError error;

    Failure(int errno, String words) {
      super(words);
      error = SystemError.of(errno);
    }
  }
}
