package io.github.vertxrdma.provider;

/**
 * Completions and connection events of a set of endpoints. Confined to the polling thread. After the last poll another thread may {@link
 * #close} the queue.
 */
public interface CompletionQueue extends AutoCloseable {

  int capacity();

  /**
   * Moves completions to the batch until it is full, and calls handlers of connection events, which must not poll. Never blocks. An
   * endpoint's failure throws nothing. After an exception the batch has the completions found before, or old ones if the caller did not
   * clear it; poll again.
   *
   * @return number of completions
   */
  int poll(CompletionBatch batch);

  Waiting waiting();

  /** Returns the file descriptor to wait for with {@link Waiting#FD}; otherwise -1. The queue owns it. Level-triggered while armed. */
  default int fd() {
    return -1;
  }

  /** Watches one fd beside {@link #fd()}, because nested epoll sets delay a wake-up. Confined to the polling thread. */
  interface DirectWatch {

    /**
     * Watches an fd instead of the previous one, which the caller may then close.
     *
     * @param fd level-triggered, owned by the queue; -1 for none
     * @return false if this fd cannot be watched; no fd is watched then
     */
    boolean watch(int fd);

    /** Returns whether this fd, the watched one or {@link CompletionQueue#fd()}, was readable since the queue was armed. */
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

  /** Returns the number of one-sided operations in flight whose completion wakes no sleeping thread. Above 0, keep polling. */
  default int unannounced() {
    return 0;
  }

  /** Returns the number of handshake messages dropped or delayed because unknown or unresponsive peers reached their limits. */
  default long deferred() {
    return 0;
  }

  /** Returns why the device failed, after the handlers of all endpoints were called; otherwise null. Called on the polling thread. */
  default ProviderException failure() {
    return null;
  }

  /** Closes the queue with its endpoints and listeners. Idempotent. */
  @Override
  void close();
}
