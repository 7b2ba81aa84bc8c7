package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;

/**
 * The descriptor of an epoll set that ends all sleeps, watched by whoever sleeps, if he offers that, and not in the set: a wake-up through
 * two sets takes the kernel longer, and hides from its scheduler that the sender is about to sleep. Errors are told by the set all the
 * same. On the thread that polls.
 */
public final class DirectDescriptor {
  private final Epoll epoll;
  /** Null if nobody offers. */
  private DirectWatch watch;
  private int fd = -1;
  private long data;

  /** There is none yet. */
  public DirectDescriptor(Epoll epoll) {
    this.epoll = epoll;
  }

  /** It is the set's again. @param by watches the next one; null for nobody */
  public void offer(DirectWatch by) {
    nest();
    watch = by;
  }

  /** Whether there is none and one would be watched. */
  public boolean isWanted() {
    return watch != null && fd < 0;
  }

  /** Whether there is one. */
  public boolean exists() {
    return fd >= 0;
  }

  /** Its number; -1 if there is none. */
  public int descriptor() {
    return fd;
  }

  /** Whether it is this one. */
  public boolean is(int descriptor) {
    return fd == descriptor;
  }

  /**
   * It is this one, if that can be watched.
   *
   * @param descriptor in the set, for reading
   * @param told data of its events
   */
  public void begin(int descriptor, long told) {
    if (watch.watch(descriptor)) {
      fd = descriptor;
      data = told;
      epoll.modify(descriptor, 0, told);
    } else {
      watch = null;
    }
  }

  /** The set watches it again. */
  public void nest() {
    if (fd >= 0) {
      int nested = fd;
      end();
      epoll.modify(nested, Epoll.IN, data);
    }
  }

  /** It changes in the set, or is closed. */
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

  /** Whether it was found readable since {@link DirectWatch#woke whoever sleeps} went to sleep. */
  public boolean woke() {
    return watch.woke(fd);
  }

  /** Whether the set was. */
  public boolean othersWoke() {
    return watch.woke(epoll.fd());
  }
}
