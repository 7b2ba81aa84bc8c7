package io.github.vertxrdma.provider.verbs;

/**
 * Destroys an endpoint's native objects, at once or on the {@link VerbsThread}, in this order: those of the connection manager, the queue
 * pair, the memory of its requests.
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

  boolean isLater() {
    return later;
  }

  /** @param mayWait whether the device accesses no memory once the queue pair is in its error state */
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

  void next(Runnable step) {
    if (later) {
      control.later(step);
    } else {
      step.run();
    }
  }
}
