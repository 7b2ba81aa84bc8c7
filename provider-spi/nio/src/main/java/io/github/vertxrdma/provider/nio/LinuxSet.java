package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;
import io.github.vertxrdma.provider.ffi.DirectDescriptor;
import io.github.vertxrdma.provider.ffi.Epoll;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import io.github.vertxrdma.provider.ffi.Timer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Sockets of Linux and an epoll(7) of them, whose fd an event loop waits for. It is level-triggered: what is not read now makes the fd
 * readable. So nothing is asked before a sleep; and while one or two sockets have all the traffic, a poll tries to read from them, which
 * is one system call for a message where asking first would be two. Of two, one that has not ended a sleep for a while is left in peace.
 * The polls after one that found something make no call until one has nothing else to tell, such as that an answer was sent: a sleeper then
 * sleeps, and one who polls on tries the next time. While one is watched directly, the poll after a sleep reads from what ended that. The
 * poll after a sleep that a task of the loop ended reads from no socket.
 */
final class LinuxSet implements SocketSet {
  private static final int EVENTS = 64;
  private static final int TIMER = -1;
  /** Polls that try to read, of which the last asks for all sockets. */
  private static final int ASK_EVERY = 16;
  /** Vain reads after which a socket is not tried any more. */
  private static final int MISSES = 64;
  private static final int TRIED = 2;
  /** Polls without a call after one that found something, at most. */
  private static final int RESTS = 4;
  /** Sleeps in a row that one of two lively sockets ended alone, after which the other one is not tried any more. */
  private static final int ALONE = 4;
  /** Sleeps in a row that the only lively socket ended, after which it is watched directly. */
  private static final int DIRECTLY = 16;

  private final Epoll epoll = new Epoll();
  private final Timer timer;
  private final long events = Memory.allocate((long) EVENTS * Epoll.EVENT);
  private final long message = Memory.allocate(LinuxCalls.MESSAGE);
  private LinuxSocket[] sockets = new LinuxSocket[64];
  private int generations;
  /** Sockets that had something lately. */
  private final LinuxSocket[] lively = new LinuxSocket[TRIED];
  /** The one that ended the last sleep, and how many in a row. */
  private LinuxSocket waker;
  private int wakes;
  private int turns;
  private boolean trying;
  private boolean progress;
  /** Polls to come that make no call while there is something else to tell; 0 if the next one tries. */
  private int rests;
  private boolean slept = true;
  /** The only lively one, if that is watched directly. */
  private final DirectDescriptor direct = new DirectDescriptor(epoll);

  LinuxSet() {
    Timer made = null;
    try {
      made = new Timer();
      epoll.add(made.fd(), Epoll.IN, TIMER);
    } catch (RuntimeException e) {
      close(made);
      throw e;
    }
    timer = made;
  }

  // Sockets

  @Override
  public TcpSocket connect(InetSocketAddress remote, InetSocketAddress source) throws IOException {
    int fd = open(remote);
    try {
      LinuxCalls.prepare(fd);
      if (source != null) {
        check(LinuxAddresses.call(LinuxCalls::bind, fd, source));
      }
      int done = LinuxAddresses.call(LinuxCalls::connect, fd, remote);
      if (done == -Errno.EINPROGRESS) {
        // A peer on this host has answered by now, which is asked for here rather than waited for.
        done = LinuxAddresses.call(LinuxCalls::connect, fd, remote);
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
      check(LinuxAddresses.call(LinuxCalls::bind, fd, local));
      check(LinuxCalls.listen(fd, backlog));
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

  /** A socket that is watched for nothing is not in the epoll set, which would tell of its errors again and again. */
  void change(LinuxSocket socket, int fd, int before, int after) {
    if (direct.is(fd)) {
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

  /** It is watched no more; that it is closed takes it out of the epoll set. */
  void forget(LinuxSocket socket, int fd) {
    if (fd < sockets.length && sockets[fd] == socket) {
      sockets[fd] = null;
      if (waker == socket) {
        waker = null;
        wakes = 0;
      }
      if (direct.is(fd)) {
        endDirect();
      }
      calm(socket);
    }
  }

  /** A struct msghdr for one call. */
  long message() {
    return message;
  }

  /** Bytes were read. */
  void progress() {
    progress = true;
  }

  /** Whether what is read was not said to be there. */
  boolean isTrying() {
    return trying;
  }

  // Polling

  @Override
  public void poll(boolean hasOthers) {
    if (rests > 0) {
      rests = hasOthers ? rests - 1 : 0;
      return;
    }
    progress = false;
    if (slept && direct.neitherWoke()) {
      slept = false;
    } else if (slept && direct.exists()) {
      afterSleep();
    } else {
      boolean few = lively[0] != null && !(slept && lively[1] != null);
      if (few) {
        tryReads();
      }
      if (!few || !progress && slept || (++turns & ASK_EVERY - 1) == 0) {
        ask();
        slept = false;
      }
    }
    rests = progress ? RESTS : 0;
  }

  /** Whoever slept knows which fd told; what did not will. */
  private void afterSleep() {
    boolean others = direct.othersWoke();
    if (direct.woke()) {
      tryReads();
    }
    if (others) {
      ask();
    }
    slept = false;
  }

  private void tryReads() {
    trying = true;
    try {
      for (int i = 0; i < TRIED; i++) {
        LinuxSocket socket = lively[i];
        if (socket != null && (socket.operations() & SocketHandler.READ) != 0) {
          if (hasRead(socket, SocketHandler.READ)) {
            socket.hit();
          } else if (socket.isWatchedBy(this) && socket.missed() > MISSES) {
            nest();
            calm(socket);
          }
        }
      }
    } finally {
      trying = false;
    }
  }

  private void ask() {
    int n = epoll.ready(events, EVENTS);
    for (int i = 0; i < n; i++) {
      long data = Epoll.data(events, i);
      int fd = (int) data;
      LinuxSocket socket = fd < 0 || fd >= sockets.length ? null : sockets[fd];
      if (socket != null && socket.generation() == (int) (data >>> 32)
        && hasRead(socket, operations(Epoll.events(events, i), socket.operations()))) {
        enliven(socket);
      }
    }
  }

  private boolean hasRead(LinuxSocket socket, int operations) {
    boolean others = progress;
    progress = false;
    socket.ready(operations);
    // A listening socket had a peer, not bytes of one. It may be closed by now, and whoever let go of it may have another set watch it.
    boolean read = progress && socket.isConnected() && socket.isWatchedBy(this);
    if (read && slept) {
      wakes = socket == waker ? wakes + 1 : 1;
      waker = socket;
    }
    progress |= others;
    return read;
  }

  /** An error is told to whoever is asked for. */
  private static int operations(int bits, int wanted) {
    if ((bits & ~(Epoll.IN | Epoll.OUT)) != 0) {
      return wanted;
    }
    return ((bits & Epoll.IN) != 0 ? SocketHandler.READ : 0) | ((bits & Epoll.OUT) != 0 ? SocketHandler.WRITE : 0);
  }

  /** Tries it in the polls to come, unless there are too many of its kind. */
  private void enliven(LinuxSocket socket) {
    if (lively[0] == socket || lively[1] == socket) {
      if (slept && wakes >= ALONE && lively[1] != null) {
        calm(lively[0] == socket ? lively[1] : lively[0]);
      }
      return;
    }
    if (slept && wakes == 1 && lively[0] != null) {
      // A socket may have something now and then, as a connection that brings credits alone.
      return;
    }
    nest();
    socket.hit();
    if (lively[0] == null) {
      lively[0] = socket;
    } else if (lively[1] == null) {
      lively[1] = socket;
    } else {
      lively[0] = null;
      lively[1] = null;
    }
  }

  private void calm(LinuxSocket socket) {
    if (lively[1] == socket) {
      lively[1] = null;
    } else if (lively[0] == socket) {
      lively[0] = lively[1];
      lively[1] = null;
    }
  }

  // Sleeping

  @Override
  public void disturb() {
    // Its owner is awake, and tells the next time it sleeps.
  }

  @Override
  public boolean arm(long millis) {
    slept = true;
    rests = 0;
    if (direct.isWanted() && wakes >= DIRECTLY && lively[0] == waker && lively[1] == null && waker.operations() == SocketHandler.READ) {
      direct.begin(waker.descriptor(), data(waker, waker.descriptor()));
    }
    timer.within(millis);
    return true;
  }

  @Override
  public void offer(DirectWatch by) {
    nest();
    direct.offer(by);
  }

  /** The one that is watched directly is watched in the set again. */
  private void nest() {
    if (direct.exists()) {
      direct.nest();
      wakes = 0;
    }
  }

  private void endDirect() {
    direct.end();
    wakes = 0;
  }

  @Override
  public int fd() {
    return epoll.fd();
  }

  @Override
  public void sweep() {
    // Sockets that were closed are gone.
  }

  @Override
  public void close() {
    close(timer);
  }

  private void close(Timer made) {
    epoll.close();
    if (made != null) {
      made.close();
    }
    Memory.free(events);
    Memory.free(message);
  }
}
