package io.github.vertxrdma.provider;

/**
 * Completions and connection events of a set of endpoints. Confined to the polling thread. After the last poll another thread may {@link
 * #close} the queue.
 */
public interface CompletionQueue extends AutoCloseable {

  int capacity();

  /**
   * Moves completions to the batch until it is full, and calls handlers of connection events, which must not poll. Never blocks. The
   * failure of one endpoint is not thrown. After an exception the batch has the completions found before, or still those of the last poll;
   * the caller polls again.
   *
   * @return number of completions
   */
  int poll(CompletionBatch batch);

  Waiting waiting();

  /** Returns the file descriptor to wait for with {@link Waiting#FD}; otherwise -1. Owned by the queue, level-triggered while armed. */
  default int fd() {
    return -1;
  }

  /** Watches one fd beside {@link #fd()}, to avoid the delay of nested epoll sets. Confined to the polling thread. */
  interface DirectWatch {

    /**
     * Watches an fd in place of the last one, which may be closed afterwards.
     *
     * @param fd level-triggered, owned by the queue; -1 for none
     * @return false if this fd cannot be watched; no fd is watched then
     */
    boolean watch(int fd);

    /** Returns whether {@link CompletionQueue#fd()} or the watched fd was readable since the queue was armed. */
    boolean woke(int fd);
  }

  /**
   * Offers to watch one fd of the queue's choice beside {@link #fd()}.
   *
   * @param watch null ends the offer
   */
  default void offer(DirectWatch watch) {
  }

  /**
   * Acknowledges old events and requests the next one (ibv_req_notify_cq(3), fi_trywait(3)). A poll may consume this request: arm the
   * queue before each sleep.
   *
   * @return true if the thread may sleep, false if it must poll first. With {@link Waiting#NONE}: whether the last poll found nothing
   */
  boolean arm();

  /** Sets the handler of {@link Waiting#WAKEUP}, called on any thread when an armed queue has something to poll. */
  void wakeupHandler(Runnable handler);

  /** Returns the number of one-sided operations in flight whose end wakes no sleeping thread. Above 0, keep polling. */
  default int unannounced() {
    return 0;
  }

  /** Returns the number of handshake messages dropped or delayed because unproven or slow peers used their share. */
  default long deferred() {
    return 0;
  }

  /** Returns why the device failed, after the ends of all endpoints were reported; otherwise null. Called on the polling thread. */
  default ProviderException failure() {
    return null;
  }

  /** Closes the queue with its endpoints and listeners. Idempotent. */
  @Override
  void close();
}
