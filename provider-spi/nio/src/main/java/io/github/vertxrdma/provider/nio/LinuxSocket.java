package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.SocketCalls;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.function.IntSupplier;

/** Listening or connected socket of Linux. */
final class LinuxSocket implements TcpSocket, ListenSocket {
  /** Maximum number of already ended connections that one accept skips. */
  private static final int MOST_FAILED = 64;

  private final int fd;
  private boolean connected;
  private volatile boolean closed;
  private LinuxSet set;
  private SocketHandler handler;
  private int operations;
  /** Number in the data of epoll events. It differs from that of an earlier socket with the same fd. */
  private int generation;
  private int misses;

  LinuxSocket(int fd, boolean connected) {
    this.fd = fd;
    this.connected = connected;
  }

  int fd() throws ClosedChannelException {
    if (closed) {
      throw new ClosedChannelException();
    }
    return fd;
  }

  /** Returns the fd. After a close another socket may have the same fd. */
  int descriptor() {
    return fd;
  }

  @Override
  public boolean isConnected() {
    return connected;
  }

  @Override
  public void finishConnect() throws IOException {
    int error = LinuxCalls.error(fd());
    if (error != 0) {
      throw LinuxCalls.failure(error);
    }
    connected = true;
  }

  @Override
  public InetSocketAddress localAddress() throws IOException {
    return LinuxCalls.address(fd(), false);
  }

  @Override
  public InetSocketAddress remoteAddress() throws IOException {
    return LinuxCalls.address(fd(), true);
  }

  @Override
  public TcpSocket accept() throws IOException {
    int listening = fd();
    int accepted = accept(() -> SocketCalls.accept(listening));
    if (accepted < 0) {
      return null;
    }
    LinuxCalls.prepare(accepted);
    return new LinuxSocket(accepted, true);
  }

  /**
   * @param call accept4(2)
   * @return fd of the connection; -1 if none waits, or too many had ended
   */
  static int accept(IntSupplier call) throws IOException {
    for (int i = 0; i < MOST_FAILED; i++) {
      int accepted = call.getAsInt();
      if (accepted >= 0) {
        return accepted;
      }
      switch (-accepted) {
        case Errno.EAGAIN -> {
          return -1;
        }
        // The waiting connection has ended or failed; accept(2). The next one may work.
        case Errno.EINTR, Errno.ECONNABORTED, Errno.ENETUNREACH, Errno.EHOSTUNREACH, Errno.EOPNOTSUPP -> {
        }
        default -> throw LinuxCalls.failure(-accepted);
      }
    }
    return -1;
  }

  @Override
  public int read(SocketBuffer to) throws IOException {
    int room = to.bytes.remaining();
    if (room == 0) {
      return 0;
    }
    // A failed recv(2) consumes the socket's error. The next one then returns 0, the end of the stream.
    int read = read(LinuxCalls.receive(fd(), to.address(), room, set.isTrying()));
    to.bytes.position(to.bytes.position() + Math.max(0, read));
    return read;
  }

  @Override
  public int read(SoftwareRegion to, long offset, long length, SocketBuffer behind) throws IOException {
    long message = set.message;
    LinuxCalls.message(message, to.segment().address() + offset, length, behind.address(), behind.bytes.remaining());
    long n = LinuxCalls.receive(fd(), message, to.segment(), set.isTrying());
    behind.bytes.position(behind.bytes.position() + (int) Math.max(0, n - length));
    return read(n);
  }

  /** @param n result of the system call: number of bytes read, 0 at the stream's end, or a negative errno */
  private int read(long n) throws IOException {
    if (n > 0) {
      set.progress();
    }
    return n == 0 ? -1 : (int) taken(n);
  }

  @Override
  public long write(SocketBuffer from) throws IOException {
    long n = taken(LinuxCalls.send(fd(), from.address(), from.bytes.remaining(), MemorySegment.NULL));
    from.bytes.position(from.bytes.position() + (int) n);
    return n;
  }

  @Override
  public long write(SocketBuffer first, SoftwareRegion from, long offset, long length) throws IOException {
    long address = from.segment().address() + offset;
    int small = first.bytes.remaining();
    long n;
    if (small == 0) {
      n = taken(LinuxCalls.send(fd(), address, length, from.segment()));
    } else {
      long message = set.message;
      LinuxCalls.message(message, first.address(), small, address, length);
      n = taken(LinuxCalls.send(fd(), message, from.segment()));
    }
    first.bytes.position(first.bytes.position() + (int) Math.min(n, small));
    return n;
  }

  /** @param n number of bytes, or a negative errno */
  private static long taken(long n) throws IOException {
    if (n >= 0) {
      return n;
    }
    if (n == -Errno.EAGAIN || n == -Errno.EINTR) {
      return 0;
    }
    throw LinuxCalls.failure((int) -n);
  }

  @Override
  public void shutdownOutput() throws IOException {
    int done = LinuxCalls.shutdownOutput(fd());
    if (done < 0) {
      throw LinuxCalls.failure(-done);
    }
  }

  void watchedBy(LinuxSet by, SocketHandler newHandler, int number) {
    set = by;
    handler = newHandler;
    generation = number;
    operations = 0;
  }

  boolean isWatchedBy(LinuxSet one) {
    return set == one && !closed;
  }

  int generation() {
    return generation;
  }

  int operations() {
    return operations;
  }

  void ready(int what) {
    handler.ready(what);
  }

  /** Counts a read without data. Returns the number of consecutive ones. */
  int missed() {
    return ++misses;
  }

  void hit() {
    misses = 0;
  }

  @Override
  public void handler(SocketHandler newHandler) {
    handler = newHandler;
  }

  @Override
  public void interest(int add, int remove) {
    int after = (operations | add) & ~remove;
    if (after != operations && !closed) {
      set.change(this, fd, operations, after);
      operations = after;
    }
  }

  @Override
  public void unwatch() {
    interest(0, SocketHandler.READ | SocketHandler.WRITE);
    set.forget(this, fd);
    set = null;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      if (set != null) {
        set.forget(this, fd);
      }
      FileDescriptor.close(fd);
    }
  }
}
