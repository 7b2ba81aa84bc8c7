package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.CompletionQueue;

/** Replaces a queue's epoll fd until this object is closed, so that epoll_ctl(2) fails as if the user had no watches left. */
public final class NoWatches implements AutoCloseable {
  private final int fd;
  private final int epoll;

  public NoWatches(CompletionQueue queue) {
    fd = queue.fd();
    epoll = Libc.duplicate(fd);
    int other = Libc.event();
    Libc.replace(other, fd);
    Libc.close(other);
  }

  @Override
  public void close() {
    Libc.replace(epoll, fd);
    Libc.close(epoll);
  }
}
