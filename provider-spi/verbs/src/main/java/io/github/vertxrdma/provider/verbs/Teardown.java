package io.github.vertxrdma.provider.verbs;

/**
 * Order in which an endpoint's native objects are destroyed: resources of the connection manager first, then the queue pair, then the
 * memory of its work requests. All at once, or by the {@link Reaper} if the first may take long. Confined to the completion queue's thread.
 */
final class Teardown {
  private final Reaper reaper;
  private final QueuePair queuePair;
  private boolean begun;
  private boolean reaping;

  Teardown(Reaper reaper, QueuePair queuePair) {
    this.reaper = reaper;
    this.queuePair = queuePair;
  }

  boolean hasBegun() {
    return begun;
  }

  /** Closes the connection, once. @param connection null if there is none yet */
  void begin(Connection connection) {
    if (begun || connection == null) {
      return;
    }
    begun = true;
    connection.disconnect();
    Runnable slow = connection.close();
    if (slow != null) {
      // In the error state nothing can arrive or be sent.
      queuePair.fail();
      reaping = true;
      reaper.later(slow);
    }
  }

  /** Runs a further step, after the earlier ones. */
  void next(Runnable step) {
    if (reaping) {
      reaper.later(step);
    } else {
      step.run();
    }
  }
}
