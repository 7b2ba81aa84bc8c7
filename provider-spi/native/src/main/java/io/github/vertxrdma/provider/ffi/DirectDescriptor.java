package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;

/**
 * The one file descriptor of an epoll set that has all the traffic. The sleeping thread watches this descriptor directly, since a wake-up
 * through nested epoll sets takes longer. The set still reports errors. Confined to the polling thread.
 */
public final class DirectDescriptor {
  private final Epoll epoll;
  private DirectWatch watch;
  private int fd = -1;
  private long data;

  public DirectDescriptor(Epoll epoll) {
    this.epoll = epoll;
  }

  /** Puts the descriptor back into the set. @param by watches the next descriptor; null for none */
  public void offer(DirectWatch by) {
    nest();
    watch = by;
  }

  public boolean isWanted() {
    return watch != null && fd < 0;
  }

  public boolean exists() {
    return fd >= 0;
  }

  /** Returns the watched descriptor; -1 if there is none. */
  public int descriptor() {
    return fd;
  }

  public boolean is(int descriptor) {
    return fd == descriptor;
  }

  /** Watches a descriptor of the set directly, if possible. */
  public void begin(int descriptor, long eventData) {
    if (watch.watch(descriptor)) {
      fd = descriptor;
      data = eventData;
      epoll.modify(descriptor, 0, eventData);
    } else {
      watch = null;
    }
  }

  public void nest() {
    if (fd >= 0) {
      int nested = fd;
      end();
      epoll.modify(nested, Epoll.IN, data);
    }
  }

  /** Ends {@link #begin}, because the descriptor's events change or it is closed. */
  public void end() {
    fd = -1;
    watch.watch(-1);
  }

  /** Returns whether neither this descriptor nor the set ended the last sleep, so that there is nothing to read. */
  public boolean neitherWoke() {
    return watch != null && !othersWoke() && !(exists() && woke());
  }

  /** Returns whether the descriptor was readable since the queue was armed. */
  public boolean woke() {
    return watch.woke(fd);
  }

  public boolean othersWoke() {
    return watch.woke(epoll.fd());
  }
}
