package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;

/**
 * Descriptor of an epoll set that causes all wake-ups, and that the sleeping thread watches directly: a wake-up through two sets takes
 * longer, and hides from the scheduler that the sender is about to sleep. The set still reports errors. Confined to the thread that polls.
 */
public final class DirectDescriptor {
  private final Epoll epoll;
  private DirectWatch watch;
  private int fd = -1;
  private long data;

  public DirectDescriptor(Epoll epoll) {
    this.epoll = epoll;
  }

  /** Returns the descriptor to the set. @param by watches the next one; null for none */
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

  /** Returns the descriptor, or -1 if there is none. */
  public int descriptor() {
    return fd;
  }

  public boolean is(int descriptor) {
    return fd == descriptor;
  }

  /**
   * Watches a descriptor directly, if that is possible.
   *
   * @param descriptor in the set, for reading
   * @param eventData data of its events
   */
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

  /** Called when the descriptor changes in the set, or is closed. */
  public void end() {
    fd = -1;
    watch.watch(-1);
  }

  /**
   * Returns whether something else ended the last sleep: neither this descriptor nor the set was found readable. Both are level-triggered,
   * so nothing needs to be read. False if it cannot be watched directly.
   */
  public boolean neitherWoke() {
    return watch != null && !othersWoke() && !(exists() && woke());
  }

  /** Returns whether it was found readable since the thread {@linkplain DirectWatch#woke went to sleep}. */
  public boolean woke() {
    return watch.woke(fd);
  }

  public boolean othersWoke() {
    return watch.woke(epoll.fd());
  }
}
