package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.ffi.Epoll;
import io.github.vertxrdma.provider.ffi.EpollSet;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import io.github.vertxrdma.provider.ffi.SocketCalls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Sockets in a level-triggered epoll(7) set. An event loop waits for the set's fd.
 *
 * <p>To save system calls:
 * <ul>
 * <li>While one or two sockets are active, polls read from them without epoll_wait.
 * <li>After a poll that read something, the next polls make no system call while their batch has completions.
 * <li>A single active socket is watched directly, beside the set. After a sleep, a poll reads from it only if it ended the sleep.
 * </ul>
 */
final class LinuxSet extends EpollSet implements SocketSet {
  /** Interval, in polls, of calls of epoll_wait. The polls between read only from active sockets. */
  private static final int ASK_EVERY = 16;
  /** Number of consecutive reads without data after which a socket becomes inactive. */
  private static final int MISSES = 64;
  private static final int TRIED = 2;
  /** Maximum number of polls without a system call after one that read something. */
  private static final int RESTS = 4;
  /** After this number of consecutive sleeps that the same one of two active sockets has ended, the other becomes inactive. */
  private static final int ALONE = 4;
  /** Number of consecutive sleeps ended by the only active socket, after which it is watched directly. */
  private static final int DIRECTLY = 16;

  final long message = Memory.allocate(LinuxCalls.MESSAGE);
  private LinuxSocket[] sockets = new LinuxSocket[64];
  private int generations;
  /** Active sockets: polls read from them without epoll_wait. */
  private final LinuxSocket[] active = new LinuxSocket[TRIED];
  private LinuxSocket waker;
  private int wakes;
  private int turns;
  private boolean trying;
  private boolean progress;
  private int rests;
  private boolean slept = true;

  @Override
  public TcpSocket connect(InetSocketAddress remote, InetSocketAddress source) throws IOException {
    int fd = open(remote);
    try {
      LinuxCalls.prepare(fd);
      if (source != null) {
        check(LinuxCalls.bind(fd, source));
      }
      int done = LinuxCalls.connect(fd, remote);
      if (done == -Errno.EINPROGRESS) {
        // A connect within this host has finished already.
        done = LinuxCalls.connect(fd, remote);
      }
      if (done != -Errno.EALREADY) {
        check(done);
      }
      return new LinuxSocket(fd, done == 0);
    } catch (IOException | RuntimeException e) {
      FileDescriptor.close(fd);
      throw e;
    }
  }

  @Override
  public ListenSocket listen(InetSocketAddress local, int backlog, SocketHandler handler) throws IOException {
    int fd = open(local);
    LinuxSocket socket = new LinuxSocket(fd, false);
    try {
      LinuxCalls.reuseAddress(fd);
      check(LinuxCalls.bind(fd, local));
      check(SocketCalls.listen(fd, backlog));
      watch(socket, SocketHandler.READ, handler);
      return socket;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private static int open(InetSocketAddress address) throws IOException {
    if (address.isUnresolved()) {
      throw new UnknownHostException(address.getHostString());
    }
    return check(LinuxCalls.socket(SocketAddresses.family(address.getAddress())));
  }

  private static int check(int result) throws IOException {
    if (result < 0) {
      throw LinuxCalls.failure(-result);
    }
    return result;
  }

  @Override
  public void watch(TcpSocket socket, int operations, SocketHandler handler) throws IOException {
    watch((LinuxSocket) socket, operations, handler);
  }

  private void watch(LinuxSocket socket, int operations, SocketHandler handler) throws IOException {
    int fd = socket.fd();
    if (fd >= sockets.length) {
      sockets = Arrays.copyOf(sockets, Math.max(fd + 1, sockets.length * 2));
    }
    sockets[fd] = socket;
    socket.watchedBy(this, handler, ++generations);
    socket.interest(operations, 0);
  }

  /** Changes the watched events. A socket without any leaves the set: epoll would report its errors at each poll. */
  void change(LinuxSocket socket, int fd, int before, int after) {
    if (fd == direct()) {
      endDirect();
    }
    if (after == 0) {
      epoll.remove(fd);
    } else {
      int bits = ((after & SocketHandler.READ) != 0 ? Epoll.IN : 0) | ((after & SocketHandler.WRITE) != 0 ? Epoll.OUT : 0);
      if (before == 0) {
        epoll.add(fd, bits, data(socket, fd));
      } else {
        epoll.modify(fd, bits, data(socket, fd));
      }
    }
  }

  private static long data(LinuxSocket socket, int fd) {
    return (long) socket.generation() << 32 | fd;
  }

  void forget(LinuxSocket socket, int fd) {
    if (fd < sockets.length && sockets[fd] == socket) {
      sockets[fd] = null;
      if (waker == socket) {
        waker = null;
        wakes = 0;
      }
      if (fd == direct()) {
        endDirect();
      }
      deactivate(socket);
    }
  }

  void progress() {
    progress = true;
  }

  /** Returns whether the current read is on a socket that epoll has not reported as readable. */
  boolean isTrying() {
    return trying;
  }

  @Override
  public void poll(boolean hasOthers) {
    if (rests > 0) {
      rests = hasOthers ? rests - 1 : 0;
      return;
    }
    progress = false;
    if (slept && neitherWoke()) {
      slept = false;
    } else if (slept && direct() >= 0) {
      afterSleep();
    } else {
      boolean few = active[0] != null && !(slept && active[1] != null);
      if (few) {
        tryReads();
      }
      if (!few || !progress && slept || (++turns & ASK_EVERY - 1) == 0) {
        dispatchEvents();
        slept = false;
      }
    }
    rests = progress ? RESTS : 0;
  }

  /** Reads from the directly watched socket if it ended the sleep. Calls epoll_wait if another one did. */
  private void afterSleep() {
    boolean others = othersWoke();
    if (directWoke()) {
      tryReads();
    }
    if (others) {
      dispatchEvents();
    }
    slept = false;
  }

  private void tryReads() {
    trying = true;
    try {
      for (int i = 0; i < TRIED; i++) {
        LinuxSocket socket = active[i];
        if (socket != null && (socket.operations() & SocketHandler.READ) != 0) {
          if (hasRead(socket, SocketHandler.READ)) {
            socket.hit();
          } else if (socket.isWatchedBy(this) && socket.missed() > MISSES) {
            nest();
            deactivate(socket);
          }
        }
      }
    } finally {
      trying = false;
    }
  }

  private void dispatchEvents() {
    int n = epoll.ready(events, MAX_EVENTS);
    for (int i = 0; i < n; i++) {
      long data = Epoll.data(events, i);
      int fd = (int) data;
      LinuxSocket socket = fd < 0 || fd >= sockets.length ? null : sockets[fd];
      if (socket != null && socket.generation() == (int) (data >>> 32)
        && hasRead(socket, operations(Epoll.events(events, i), socket.operations()))) {
        activate(socket);
      }
    }
  }

  private boolean hasRead(LinuxSocket socket, int operations) {
    boolean others = progress;
    progress = false;
    socket.ready(operations);
    // The handler may have closed the socket or moved it to another set. A listening socket has no bytes.
    boolean read = progress && socket.isConnected() && socket.isWatchedBy(this);
    if (read && slept) {
      wakes = socket == waker ? wakes + 1 : 1;
      waker = socket;
    }
    progress |= others;
    return read;
  }

  private static int operations(int bits, int wanted) {
    if ((bits & ~(Epoll.IN | Epoll.OUT)) != 0) {
      return wanted;
    }
    return ((bits & Epoll.IN) != 0 ? SocketHandler.READ : 0) | ((bits & Epoll.OUT) != 0 ? SocketHandler.WRITE : 0);
  }

  /** Makes a socket active. A third active socket makes all inactive. */
  private void activate(LinuxSocket socket) {
    if (active[0] == socket || active[1] == socket) {
      if (slept && wakes >= ALONE && active[1] != null) {
        deactivate(active[0] == socket ? active[1] : active[0]);
      }
      return;
    }
    if (slept && wakes == 1 && active[0] != null) {
      // The socket has rare input, such as flow-control credits, and stays inactive.
      return;
    }
    nest();
    socket.hit();
    if (active[0] == null) {
      active[0] = socket;
    } else if (active[1] == null) {
      active[1] = socket;
    } else {
      active[0] = null;
      active[1] = null;
    }
  }

  private void deactivate(LinuxSocket socket) {
    if (active[1] == socket) {
      active[1] = null;
    } else if (active[0] == socket) {
      active[0] = active[1];
      active[1] = null;
    }
  }

  @Override
  public boolean arm(long millis) {
    slept = true;
    rests = 0;
    if (canWatchDirectly() && wakes >= DIRECTLY && active[0] == waker && active[1] == null && waker.operations() == SocketHandler.READ) {
      watchDirectly(waker.descriptor(), data(waker, waker.descriptor()));
    }
    within(millis);
    return true;
  }

  @Override
  protected void endDirect() {
    super.endDirect();
    wakes = 0;
  }

  @Override
  public void close() {
    super.close();
    Memory.free(message);
  }
}
