package io.github.vertxrdma.provider.verbs;

/**
 * The order in which an endpoint's native objects go: what the connection manager holds first, then the queue pair, then the memory of its
 * work requests. All of it at once, or by the {@link Reaper} where the first may take long. Confined to the completion queue's thread.
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
      // In the error state nothing can arrive, nor be sent.
      queuePair.fail();
      reaping = true;
      reaper.later(slow);
    }
  }

  /** Runs a further step, after those before. */
  void next(Runnable step) {
    if (reaping) {
      reaper.later(step);
    } else {
      step.run();
    }
  }
}
