package io.github.vertxrdma.provider.verbs;

/**
 * Order in which an endpoint's native objects are destroyed: resources of the connection manager first, then the queue pair, then the
 * memory of its work requests. All at once, or by the {@link VerbsThread}. Confined to the completion queue's thread.
 */
final class Teardown {
  private final VerbsThread control;
  private final QueuePair queuePair;
  private boolean begun;
  private boolean later;

  Teardown(VerbsThread control, QueuePair queuePair) {
    this.control = control;
    this.queuePair = queuePair;
  }

  boolean hasBegun() {
    return begun;
  }

  /** Returns whether the steps run on the control thread. */
  boolean isLater() {
    return later;
  }

  /**
   * Closes the connection, once.
   *
   * @param connection null if there is none yet
   * @param mayWait whether the device may access the endpoint's memory no more than in the error state of its queue pair, so that it may be
   * destroyed later
   */
  void begin(Connection connection, boolean mayWait) {
    if (begun || connection == null) {
      return;
    }
    begun = true;
    later = mayWait || connection.isAwaited();
    connection.disconnect();
    Runnable rest = connection.close();
    if (later) {
      // In the error state nothing can arrive or be sent.
      queuePair.fail();
    }
    next(rest);
  }

  /** Runs a further step, after the earlier ones. */
  void next(Runnable step) {
    if (later) {
      control.later(step);
    } else {
      step.run();
    }
  }
}
