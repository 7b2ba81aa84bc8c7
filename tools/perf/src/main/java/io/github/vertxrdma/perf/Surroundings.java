package io.github.vertxrdma.perf;

import java.util.ArrayList;
import java.util.List;

/**
 * Circumstances of a pair of JVMs that the system makes.
 *
 * @param pinned whether each has a processor of its own
 * @param wakeDelay microseconds that each wake-up takes longer
 */
record Surroundings(boolean pinned, int wakeDelay) {
  private static final CSource WAKE_DELAY = new CSource("wake_delay", "-shared", "-fPIC");

  /** @throws PerfException if wake-ups cannot be delayed here */
  Surroundings {
    if (wakeDelay > 0) {
      library();
    }
  }

  private static String library() {
    try {
      return WAKE_DELAY.compiled().toString();
    } catch (SkippedException e) {
      throw new PerfException("wake-ups cannot be delayed: " + e.getMessage());
    }
  }

  /** The command in them. */
  List<String> command(Pinning pinning, List<String> command) {
    List<String> all = new ArrayList<>();
    if (wakeDelay > 0) {
      all.addAll(List.of("env", "LD_PRELOAD=" + library(), "VERTX_RDMA_WAKE_DELAY=" + wakeDelay));
    }
    all.addAll(command);
    return pinned ? pinning.command(all) : all;
  }

  @Override
  public String toString() {
    return (pinned ? "pinned" : "anywhere") + (wakeDelay > 0 ? ", wake-ups " + wakeDelay + " µs later" : "");
  }
}
