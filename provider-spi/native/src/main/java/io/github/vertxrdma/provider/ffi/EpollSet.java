package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.CompletionQueue.DirectWatch;

/**
 * Epoll set of a completion queue, with a timer. A sleeping thread may watch the only active file descriptor directly, beside the set:
 * nested epoll sets delay a wake-up. The set still reports the errors of that descriptor. Confined to the polling thread.
 */
public abstract class EpollSet {
  protected static final int MAX_EVENTS = 64;
  private static final int TIMER = -1;

  protected final Epoll epoll = new Epoll();
  protected final long events = Memory.allocate((long) MAX_EVENTS * Epoll.EVENT);
  private final Timer timer;
  private DirectWatch watch;
  private int direct = -1;
  private long directData;

  /** The data of the timer's events is -1. */
  protected EpollSet() {
    Timer made = null;
    try {
      made = new Timer();
      epoll.add(made.fd(), Epoll.IN, TIMER);
    } catch (RuntimeException e) {
      close(made);
      throw e;
    }
    timer = made;
  }

  public int fd() {
    return epoll.fd();
  }

  /** Makes {@link #fd} readable within this time. @param millis 0 for no limit */
  protected final void within(long millis) {
    timer.within(millis);
  }

  /** Puts the directly watched descriptor back into the set. @param by watches the next descriptor; null for none */
  public void offer(DirectWatch by) {
    nest();
    watch = by;
  }

  protected final boolean canWatchDirectly() {
    return watch != null && direct < 0;
  }

  /** Returns the directly watched descriptor; -1 if there is none. */
  protected final int direct() {
    return direct;
  }

  /** Watches a descriptor of the set directly, if the {@link DirectWatch} can. */
  protected final void watchDirectly(int descriptor, long eventData) {
    if (watch.watch(descriptor)) {
      direct = descriptor;
      directData = eventData;
      epoll.modify(descriptor, 0, eventData);
    } else {
      watch = null;
    }
  }

  protected final void nest() {
    if (direct >= 0) {
      int nested = direct;
      endDirect();
      epoll.modify(nested, Epoll.IN, directData);
    }
  }

  /** Ends the direct watch when the descriptor is closed or its events change. */
  protected void endDirect() {
    direct = -1;
    watch.watch(-1);
  }

  /** Returns whether neither the directly watched descriptor nor the set ended the last sleep. */
  protected final boolean neitherWoke() {
    return watch != null && !othersWoke() && !(direct >= 0 && directWoke());
  }

  /** Returns whether the {@link #direct} descriptor became readable since the queue was armed. */
  protected final boolean directWoke() {
    return watch.woke(direct);
  }

  protected final boolean othersWoke() {
    return watch.woke(epoll.fd());
  }

  public void close() {
    close(timer);
  }

  private void close(Timer made) {
    epoll.close();
    if (made != null) {
      made.close();
    }
    Memory.free(events);
  }
}
