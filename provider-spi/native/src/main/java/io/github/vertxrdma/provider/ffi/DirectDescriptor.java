package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;

/**
 * Descriptor of an epoll set that causes all wake-ups. The sleeping thread watches it directly, if it offers that, instead of through the
 * set: a wake-up through two sets takes the kernel longer, and hides from its scheduler that the sender is about to sleep. The set still
 * reports errors. Confined to the thread that polls.
 */
public final class DirectDescriptor {
  private final Epoll epoll;
  /** Null without an offer. */
  private DirectWatch watch;
  private int fd = -1;
  private long data;

  /** Creates an object without a descriptor. */
  public DirectDescriptor(Epoll epoll) {
    this.epoll = epoll;
  }

  /** Returns the descriptor to the set. @param by watches the next one; null for none */
  public void offer(DirectWatch by) {
    nest();
    watch = by;
  }

  /** Returns whether there is no descriptor and one would be watched. */
  public boolean isWanted() {
    return watch != null && fd < 0;
  }

  /** Returns whether there is a descriptor. */
  public boolean exists() {
    return fd >= 0;
  }

  /** Returns the descriptor, or -1 if there is none. */
  public int descriptor() {
    return fd;
  }

  /** Returns whether a descriptor is this one. */
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

  /** Watches the descriptor through the set again. */
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
   * Returns whether something else ended the last sleep, as far as the watching thread knows: neither this descriptor nor the set was found
   * readable. Nothing needs to be read then, since both are level-triggered and end the next sleep. False without an offer.
   */
  public boolean neitherWoke() {
    return watch != null && !othersWoke() && !(exists() && woke());
  }

  /** Returns whether it was found readable since the thread {@linkplain DirectWatch#woke went to sleep}. */
  public boolean woke() {
    return watch.woke(fd);
  }

  /** Returns whether the set was found readable. */
  public boolean othersWoke() {
    return watch.woke(epoll.fd());
  }
}
