package io.github.vertxrdma.provider;

/**
 * Completions and connection events of endpoints. Confined to the polling thread. After the last poll another thread may {@link #close} the
 * queue.
 */
public interface CompletionQueue extends AutoCloseable {

  int capacity();

  /**
   * Moves completions to the batch until it is full, and calls the handlers of connection events, which must not poll. Never blocks. The
   * failure of an endpoint causes no exception. After an exception, handle the batch and poll again. Clear the batch before each poll: an
   * exception may leave old completions.
   *
   * @return number of completions
   */
  int poll(CompletionBatch batch);

  Waiting waiting();

  /**
   * Returns the file descriptor to wait for with {@link Waiting#FD}; otherwise -1. The queue owns the descriptor, which is level-triggered
   * while the queue is armed.
   */
  default int fd() {
    return -1;
  }

  /** Watches one file descriptor of the queue directly, because nested epoll sets delay a wake-up. */
  interface DirectWatch {

    /**
     * Watches a descriptor instead of the previous one, which the caller may then close.
     *
     * @param fd level-triggered; -1 for none
     * @return false if this descriptor cannot be watched; none is watched then
     */
    boolean watch(int fd);

    /** Returns whether the watched descriptor, or {@link CompletionQueue#fd()}, was readable since the queue was armed. */
    boolean woke(int fd);
  }

  /**
   * Lets the queue have one of its descriptors watched directly, beside {@link #fd()}.
   *
   * @param watch null ends this
   */
  default void offer(DirectWatch watch) {
  }

  /**
   * Acknowledges old events and requests the next one (ibv_req_notify_cq(3), fi_trywait(3)). A poll may consume this request: arm the queue
   * before each sleep.
   *
   * @return true if the thread may sleep, false if it must poll first. With {@link Waiting#NONE}: whether the last poll found nothing
   */
  boolean arm();

  /** Sets the handler for {@link Waiting#WAKEUP}. Any thread may call it when an armed queue has something to poll. */
  void wakeupHandler(Runnable handler);

  /** Returns the number of operations in flight whose completion does not wake a sleeping thread. Keep polling while it is above 0. */
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
