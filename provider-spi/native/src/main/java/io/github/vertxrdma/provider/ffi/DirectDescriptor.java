package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;

/**
 * The only active file descriptor of an epoll set, watched directly by the sleeping thread: nested epoll sets delay a wake-up. The set
 * still reports its errors. Confined to the polling thread.
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

  /** Watches a descriptor of the set directly, if the {@link DirectWatch} can. */
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

  /** Ends the direct watch when the descriptor is closed or its events change. */
  public void end() {
    fd = -1;
    watch.watch(-1);
  }

  /** Returns whether neither the descriptor nor the set ended the last sleep. */
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
