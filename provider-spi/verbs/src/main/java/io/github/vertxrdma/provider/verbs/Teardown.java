package io.github.vertxrdma.provider.verbs;

/**
 * Destroys an endpoint's native objects, at once or on the {@link VerbsThread}, in this order: the connection manager's id, the queue pair,
 * the memory of its requests.
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

  boolean isLater() {
    return later;
  }

  /** Disconnects, and destroys the connection manager's id. */
  void begin(Connection connection, boolean mayWait) {
    if (begun || connection == null) {
      return;
    }
    begun = true;
    later = mayWait || connection.isAwaited();
    connection.disconnect();
    Runnable rest = connection.close();
    if (later) {
      // In the error state a queue pair neither sends nor receives, so the device uses no memory.
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
