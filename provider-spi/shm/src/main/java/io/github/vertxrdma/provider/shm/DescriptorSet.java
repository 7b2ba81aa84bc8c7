package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.DirectDescriptor;
import io.github.vertxrdma.provider.ffi.Epoll;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Sockets in an epoll(7), whose fd is readable while one of them has something or the time has come. */
final class DescriptorSet implements SocketSet {
  private static final int EVENTS = 64;
  private static final int MESSAGES = 8;
  /** Wake-ups by one socket after which it is taken for that of the next. */
  private static final int IN_A_ROW = 2;
  /** Wake-ups by one socket after which it is watched directly, or all are looked at: one that never rests would hide the others. */
  private static final int MOST_IN_A_ROW = 16;

  /** A socket of this kind of set. */
  interface Descriptor extends Watched {
    int fd();
  }

  private final Map<Integer, Pollable> told = new ConcurrentHashMap<>();
  private final Epoll epoll = new Epoll();
  private final DirectDescriptor direct = new DirectDescriptor(epoll);
  private final Timer timer;
  private final long readiness = Memory.allocate((long) EVENTS * Epoll.EVENT);
  private final Inbox inbox = new Inbox(MESSAGES);
  /** The socket from which messages came last, and how often that was the same in a row. */
  private int lastFd = -1;
  private int inARow;
  private boolean received;
  private boolean slept;

  DescriptorSet() {
    Timer made = null;
    try {
      made = new Timer();
      epoll.add(made.fd());
    } catch (RuntimeException e) {
      close(made);
      throw e;
    }
    timer = made;
  }

  @Override
  public LocalSocket connect(String path) {
    int fd = Libc.socket();
    int errno = Libc.connect(fd, path);
    if (errno == 0) {
      return new DescriptorSocket(fd);
    }
    FileDescriptor.close(fd);
    if (errno == Errno.EAGAIN) {
      return null;
    }
    throw new ProviderException(errno == Errno.ENOENT || errno == Errno.ECONNREFUSED ? Reason.REFUSED : Reason.UNREACHABLE, errno,
      "shm: nobody listens on " + path + ": " + Errno.describe(errno));
  }

  @Override
  public ListenSocket listen(String path, int backlog) {
    int fd = Libc.socket();
    try {
      int errno = Libc.bind(fd, path);
      if (errno != 0) {
        throw new ProviderException(errno == Errno.EADDRINUSE ? Reason.ADDRESS_IN_USE : Reason.OTHER, errno, "shm: cannot listen on " + path
          + ": " + (errno == Errno.EADDRINUSE ? "another process does" : Errno.describe(errno)));
      }
      Libc.listen(fd, backlog);
      return new Listening(fd);
    } catch (ProviderException e) {
      FileDescriptor.close(fd);
      throw e;
    }
  }

  private record Listening(int fd) implements ListenSocket, Descriptor {

    @Override
    public LocalSocket accept() {
      int accepted = Libc.accept(fd);
      if (accepted >= 0) {
        return new DescriptorSocket(accepted);
      }
      if (accepted == -Errno.EAGAIN || accepted == -Errno.EINTR || accepted == -Errno.ECONNABORTED) {
        return null;
      }
      throw new ProviderException(Reason.LIMIT, -accepted, "shm: nobody can be accepted: " + Errno.describe(-accepted));
    }

    @Override
    public void close() {
      FileDescriptor.close(fd);
    }
  }

  @Override
  public void watch(Watched socket, Pollable pollable) {
    int fd = ((Descriptor) socket).fd();
    told.put(fd, pollable);
    try {
      epoll.add(fd);
    } catch (ProviderException e) {
      // There are no epoll watches left: a later socket of this number is another one.
      told.remove(fd, pollable);
      throw e;
    }
  }

  @Override
  public void unwatch(Watched socket, Pollable pollable) {
    int fd = ((Descriptor) socket).fd();
    if (told.remove(fd, pollable)) {
      if (direct.is(fd)) {
        direct.end();
      }
      if (fd == lastFd) {
        // Its number may be that of one whose handshake another thread goes on with.
        lastFd = -1;
        inARow = 0;
      }
      epoll.remove(fd);
    }
  }

  @Override
  public boolean receive(LocalSocket socket, Consumer<Message.Received> receiver) {
    int fd = ((Descriptor) socket).fd();
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
   * After a sleep looks first where the last wake-ups came from, which spares a system call, or only at what ended it, where that is known: the fd
   * stays readable while another has something, so there is no sleep before it is found. At other times looks at all, and at the one that is watched
   * directly by itself: the set knows nothing of that.
   */
  @Override
  public boolean poll() {
    boolean first = slept;
    slept = false;
    if (!direct.exists()) {
      return !(first && wokenByTheSame()) && ask();
    }
    if (first) {
      return afterSleep();
    }
    tell(direct.descriptor());
    return ask();
  }

  private boolean ask() {
    int n = epoll.ready(readiness, EVENTS);
    for (int i = 0; i < n; i++) {
      tell((int) Epoll.data(readiness, i));
    }
    return n == EVENTS;
  }

  private void tell(int fd) {
    Pollable pollable = told.get(fd);
    if (pollable != null) {
      pollable.ready();
    }
  }

  private boolean wokenByTheSame() {
    received = false;
    if (inARow >= IN_A_ROW && inARow < MOST_IN_A_ROW) {
      tell(lastFd);
      inARow = received ? inARow : 0;
    }
    return received;
  }

  private boolean afterSleep() {
    int fd = direct.descriptor();
    boolean others = direct.othersWoke();
    if (direct.woke()) {
      tell(fd);
    }
    boolean again = others && ask();
    if (lastFd != fd && inARow > 0) {
      // Another one has as much.
      direct.nest();
    }
    return again;
  }

  @Override
  public void offer(DirectWatch by) {
    direct.offer(by);
  }

  @Override
  public void disturb() {
    // The timer is set for each sleep.
  }

  @Override
  public boolean arm(long millis) {
    if (direct.isWanted() && inARow == MOST_IN_A_ROW) {
      direct.begin(lastFd, lastFd);
    }
    timer.within(millis);
    slept = true;
    // The fd is readable for all that lies in a socket, or comes from now on.
    return true;
  }

  @Override
  public void disarm() {
    // A time that was set serves the next sleep.
  }

  @Override
  public int fd() {
    return epoll.fd();
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
    Memory.free(readiness);
    inbox.close();
  }
}
