package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.CompletionQueue;

/**
 * Another file under the number of a queue's epoll, so that epoll_ctl(2) fails, as where a user has no watches left; until it is closed.
 */
public final class NoWatches implements AutoCloseable {
  private final int fd;
  private final int epoll;

  public NoWatches(CompletionQueue queue) {
    fd = queue.fd();
    epoll = Descriptors.duplicate(fd);
    int other = Descriptors.event();
    Descriptors.replace(other, fd);
    Descriptors.close(other);
  }

  @Override
  public void close() {
    Descriptors.replace(epoll, fd);
    Descriptors.close(epoll);
  }
}
