package io.github.vertxrdma.provider;

/**
 * Reports everything that happens to a set of endpoints: completions, and connection events, which are passed to their handlers during
 * {@link #poll}. Confined to the thread that polls it; only {@link #close} may be called on another thread, after polling ended.
 */
public interface CompletionQueue extends AutoCloseable {

  int capacity();

  /**
   * Drains completions, at most as many as the batch has room for, makes progress, and delivers connection events. Never blocks. Not
   * reentrant: a handler must not poll.
   *
   * <p>An exception that concerns one endpoint should end that endpoint, and not be thrown. If one is thrown, the batch has the completions
   * that were found before, or was not cleared, and the queue is polled again.
   *
   * @param batch cleared first
   * @return number of completions in the batch
   */
  int poll(CompletionBatch batch);

  Waiting waiting();

  /** Returns the fd to wait for with {@link Waiting#FD}, which the queue owns. Level-triggered once armed. -1 otherwise. */
  default int fd() {
    return -1;
  }

  /**
   * Watches one fd besides {@link #fd()}. If that is a set of fds, and one of them has all the traffic, waiting for this fd spares the
   * kernel a nested set at each wake-up.
   */
  interface DirectWatch {

    /**
     * Watches an fd in place of the last one, which may be closed afterwards: a sleeping thread wakes when it is readable, as with {@link
     * CompletionQueue#fd()}. Called on the thread that polls.
     *
     * @param fd level-triggered, owned by the queue; -1 for none
     * @return false if it cannot be watched, in which case none is
     */
    boolean watch(int fd);

    /**
     * Returns whether an fd was found readable since the queue was armed, during a sleep or a check without sleep. The next sleep reports
     * what is not found now. Called on the thread that polls.
     *
     * @param fd {@link CompletionQueue#fd()}, or the one that is watched beside it
     */
    boolean woke(int fd);
  }

  /**
   * Offers to watch one more fd, which the queue chooses by its traffic, or never. Called on the thread that polls, which still watches
   * {@link #fd()}.
   *
   * @param watch null to end the offer: {@link #fd()} reports everything again
   */
  default void offer(DirectWatch watch) {
    // Its fd is not a set of others.
  }

  /**
   * Prepares to sleep: acknowledges old events and requests the next one (ibv_req_notify_cq(3), fi_trywait(3)). A poll ends the
   * preparation, because it may take the event even if it returns no completion: arm the queue again before each sleep.
   *
   * @return true if it is safe to sleep now; false if something has arrived, so poll again first. With {@link Waiting#NONE} true means only
   * that the last poll found nothing.
   */
  boolean arm();

  /** With {@link Waiting#WAKEUP}: sets the handler that runs, on any thread, when an armed queue gets something. */
  void wakeupHandler(Runnable handler);

  /**
   * Returns the number of operations in flight for which this side must keep polling because neither fd nor wake-up would report them
   * (one-sided operations on a fabric without fd).
   */
  default int unannounced() {
    return 0;
  }

  /**
   * Returns the number of handshake messages so far that were dropped or delayed, because strangers, or peers that read nothing, occupied
   * all of their share. Living peers repeat them.
   */
  default long deferred() {
    return 0;
  }

  /**
   * Returns why the queue carries nothing from now on, because its device has failed ({@link Domain#isLost}). Null while it works, and
   * until the ends of its endpoints are reported. Called on the thread that polls.
   */
  default ProviderException failure() {
    return null;
  }

  /** Closes it and every endpoint and listener on it. Idempotent. */
  @Override
  void close();
}
