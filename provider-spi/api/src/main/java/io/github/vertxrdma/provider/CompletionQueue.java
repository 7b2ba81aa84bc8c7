package io.github.vertxrdma.provider;

/**
 * Where everything that happens to a set of endpoints is learnt: completions, and connection events, which reach their handlers from
 * within {@link #poll}. Confined to one thread, the one that polls it; only {@link #close} may come from another after polling ended.
 */
public interface CompletionQueue extends AutoCloseable {

  int capacity();

  /**
   * Drains completions, at most as many as the batch has room for, makes progress, and delivers connection events. Never blocks.
   * Not reentrant: a handler must not poll.
   *
   * @param batch cleared first
   * @return the number of completions in the batch
   */
  int poll(CompletionBatch batch);

  Waiting waiting();

  /** The fd to wait for with {@link Waiting#FD}; it stays the queue's. Level-triggered once armed. -1 otherwise. */
  default int fd() {
    return -1;
  }

  /**
   * Watches one fd beside {@link #fd()}: where that is a set of fds, and one of them has all the traffic, to wait for this one spares the
   * kernel a set within a set at each wake-up.
   */
  interface DirectWatch {

    /**
     * Watches an fd in place of the one named before, which may be closed afterwards: whoever sleeps wakes when it is readable, as with
     * {@link CompletionQueue#fd()}. On the thread that polls.
     *
     * @param fd level-triggered, and the queue's; -1 for none
     * @return false if it cannot be watched, in which case none is
     */
    boolean watch(int fd);

    /**
     * Whether an fd was found readable since the queue was armed, in which case somebody slept, or looked without sleeping. What is not
     * found the next sleep tells of. On the thread that polls.
     *
     * @param fd {@link CompletionQueue#fd()}, or the one that is watched beside it
     */
    boolean woke(int fd);
  }

  /**
   * Offers to watch one more fd, which the queue names as its traffic suggests, or never. On the thread that polls, which still watches
   * {@link #fd()}.
   *
   * @param watch null to end the offer: {@link #fd()} tells of everything again
   */
  default void offer(DirectWatch watch) {
    // Its fd is not a set of others.
  }

  /**
   * Prepares to sleep: acknowledges old events and asks for the next one (ibv_req_notify_cq(3), fi_trywait(3)). That lasts until the
   * queue is polled, which may take the event even where it returns no completion: arm it again before each sleep.
   *
   * @return true if it is safe to sleep now; false if something is there already, so poll again first.
   *   With {@link Waiting#NONE} true means only that the last poll found nothing.
   */
  boolean arm();

  /** With {@link Waiting#WAKEUP}: what to run, on any thread, when an armed queue gets something. */
  void wakeupHandler(Runnable handler);

  /**
   * Operations in flight for which this side must keep polling because neither fd nor wake-up would tell (one-sided ones on a fabric
   * without fd).
   */
  default int unannounced() {
    return 0;
  }

  /**
   * Messages of handshakes so far that were dropped or made to wait, since strangers, or peers that take nothing, hold as much as they may.
   * Peers that live repeat them.
   */
  default long deferred() {
    return 0;
  }

  /** Closes it and every endpoint and listener on it. Idempotent. */
  @Override
  void close();
}
