package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Epoll;
import io.github.vertxrdma.provider.ffi.EpollSet;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.software.WaitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Set of the sockets of one completion queue, epoll(7). Confined to the queue's thread, except {@link #watch} and {@link #unwatch}. */
final class DescriptorSet extends EpollSet implements WaitSet {
  private static final int MESSAGES = 8;
  private static final int IN_A_ROW = 2;
  /** Consecutive wake-ups by one socket after which the event loop watches it directly. If that is impossible, all sockets are checked. */
  private static final int MOST_IN_A_ROW = 16;

  private final Map<Integer, Pollable> pollables = new ConcurrentHashMap<>();
  private final Inbox inbox = new Inbox(MESSAGES);
  private int lastFd = -1;
  private int inARow;
  private boolean received;
  private boolean slept;

  /** Connects without waiting. Returns null if the listener's backlog is full. */
  DescriptorSocket connect(String path) {
    int fd = SystemCalls.socket();
    int errno = SystemCalls.connect(fd, path);
    if (errno == 0) {
      return new DescriptorSocket(fd);
    }
    FileDescriptor.close(fd);
    if (errno == Errno.EAGAIN) {
      return null;
    }
    throw new ProviderException(errno == Errno.ENOENT || errno == Errno.ECONNREFUSED ? Reason.REFUSED : Reason.UNREACHABLE, errno,
      "shm: cannot connect to " + path + ": " + Errno.describe(errno));
  }

  /** Makes {@link #poll} call the pollable when a socket may be readable. Thread-safe. */
  void watch(int fd, Pollable pollable) {
    pollables.put(fd, pollable);
    try {
      epoll.add(fd);
    } catch (ProviderException e) {
      // A later socket may get the same descriptor.
      pollables.remove(fd, pollable);
      throw e;
    }
  }

  /** Undoes {@link #watch}, before the socket is closed or added to another set. Thread-safe. */
  void unwatch(int fd, Pollable pollable) {
    if (pollables.remove(fd, pollable)) {
      if (fd == direct()) {
        endDirect();
      }
      if (fd == lastFd) {
        lastFd = -1;
        inARow = 0;
      }
      epoll.remove(fd);
    }
  }

  /**
   * Receives at most eight messages. A message without bytes means that the peer has closed the socket.
   *
   * @return true if there may be further messages
   */
  boolean receive(int fd, Consumer<SocketMessage.Received> receiver) {
    int messages = inbox.fill(fd);
    if (messages > 0) {
      received = true;
      inARow = fd == lastFd && inARow < MOST_IN_A_ROW ? inARow + 1 : 0;
      lastFd = fd;
    }
    for (int i = 0; i < messages; i++) {
      receiver.accept(inbox.get(i));
    }
    return messages == MESSAGES;
  }

  /**
   * Calls the pollables of sockets that may be readable. To save a system call, the first poll after a sleep may check only the socket that
   * caused the last wake-ups. Other readable sockets keep the set's descriptor readable.
   *
   * @return true if poll must be called again soon
   */
  boolean poll() {
    boolean first = slept;
    slept = false;
    if (first && neitherWoke()) {
      return false;
    }
    if (direct() < 0) {
      return !(first && wokenByTheSame()) && dispatchEvents();
    }
    if (first) {
      return afterSleep();
    }
    notifyReady(direct());
    return dispatchEvents();
  }

  private boolean dispatchEvents() {
    int n = epoll.ready(events, MAX_EVENTS);
    for (int i = 0; i < n; i++) {
      notifyReady((int) Epoll.data(events, i));
    }
    return n == MAX_EVENTS;
  }

  private void notifyReady(int fd) {
    Pollable pollable = pollables.get(fd);
    if (pollable != null) {
      pollable.ready();
    }
  }

  private boolean wokenByTheSame() {
    received = false;
    if (inARow >= IN_A_ROW && inARow < MOST_IN_A_ROW) {
      notifyReady(lastFd);
      inARow = received ? inARow : 0;
    }
    return received;
  }

  private boolean afterSleep() {
    int fd = direct();
    boolean others = othersWoke();
    if (directWoke()) {
      notifyReady(fd);
    }
    boolean again = others && dispatchEvents();
    if (lastFd != fd && inARow > 0) {
      // Another socket caused the last wake-ups.
      nest();
    }
    return again;
  }

  @Override
  public boolean arm(long millis) {
    if (canWatchDirectly() && inARow == MOST_IN_A_ROW) {
      watchDirectly(lastFd, lastFd);
    }
    within(millis);
    slept = true;
    return true;
  }

  @Override
  public void close() {
    super.close();
    inbox.close();
  }
}
