package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.CompletionQueue;

/** Replaces a queue's epoll fd until this object is closed, so that epoll_ctl(2) fails as if the user had no watches left. */
public final class NoWatches implements AutoCloseable {
  private final int fd;
  private final int epoll;

  public NoWatches(CompletionQueue queue) {
    fd = queue.fd();
    epoll = Libc.require("dup", fd);
    int other = Libc.require("eventfd", 0, 0);
    Libc.require("dup2", other, fd);
    Libc.require("close", other);
  }

  @Override
  public void close() {
    Libc.require("dup2", epoll, fd);
    Libc.require("close", epoll);
  }
}
