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
   * Prepares to sleep: acknowledges old events and asks for the next one (ibv_req_notify_cq(3), fi_trywait(3)). That lasts until the
   * queue is polled, which may take the event even where it returns no completion: arm it again before each sleep.
   *
   * @return true if it is safe to sleep now; false if something is there already, so poll again first.
   *   With {@link Waiting#NONE} true means only that the last poll found nothing.
   */
  boolean arm();

  /** With {@link Waiting#WAKEUP}: what to run, on any thread, when an armed queue gets something. */
  void wakeupHandler(Runnable handler);

  /** Operations in flight for which this side must keep polling because neither fd nor wake-up would tell (one-sided ones on a fabric without fd). */
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
