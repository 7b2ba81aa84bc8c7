package io.github.vertxrdma.provider;

/**
 * Completions and connection events of a set of endpoints. Confined to the thread that polls it; {@link #close} may be called on another
 * thread after polling ended.
 */
public interface CompletionQueue extends AutoCloseable {

  int capacity();

  /**
   * Drains completions that fit into the batch, and calls handlers of connection events, which must not poll. Never blocks. A failure of
   * one endpoint ends that endpoint and is not thrown. After an exception the batch has the completions found before, or was not cleared,
   * and the queue is polled again.
   *
   * @return number of completions
   */
  int poll(CompletionBatch batch);

  Waiting waiting();

  /** Returns the fd to wait for with {@link Waiting#FD}, otherwise -1. Owned by the queue; level-triggered once armed. */
  default int fd() {
    return -1;
  }

  /** Watches one fd besides {@link #fd()}, which spares the kernel a nested set at each wake-up. Confined to the polling thread. */
  interface DirectWatch {

    /**
     * Watches an fd in place of the last one, which may then be closed.
     *
     * @param fd level-triggered, owned by the queue; -1 for none
     * @return false if it cannot be watched, in which case none is
     */
    boolean watch(int fd);

    /** Returns whether {@link CompletionQueue#fd()} or the watched fd was found readable since the queue was armed. */
    boolean woke(int fd);
  }

  /**
   * Offers to watch one more fd, which the queue chooses, besides {@link #fd()}. Called on the polling thread.
   *
   * @param watch null to end the offer
   */
  default void offer(DirectWatch watch) {
  }

  /**
   * Prepares to sleep: acknowledges old events and requests the next one (ibv_req_notify_cq(3), fi_trywait(3)). A poll may take that event:
   * arm the queue before each sleep.
   *
   * @return true if it is safe to sleep now, false to poll again first; with {@link Waiting#NONE} only that the last poll found nothing
   */
  boolean arm();

  /** Sets the handler of {@link Waiting#WAKEUP}, which runs on any thread when an armed queue gets something. */
  void wakeupHandler(Runnable handler);

  /** Returns the number of one-sided operations in flight whose end neither fd nor wake-up reports, so that this side must keep polling. */
  default int unannounced() {
    return 0;
  }

  /** Returns the number of handshake messages dropped or delayed because unproven or slow peers used their share. */
  default long deferred() {
    return 0;
  }

  /** Returns why the queue's device has failed, or null until the ends of its endpoints are reported. Called on the polling thread. */
  default ProviderException failure() {
    return null;
  }

  /** Closes its endpoints and listeners too. Idempotent. */
  @Override
  void close();
}
