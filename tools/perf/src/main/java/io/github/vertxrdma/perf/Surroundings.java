package io.github.vertxrdma.perf;

import java.util.ArrayList;
import java.util.List;

/**
 * How the system and the JVM run a pair of processes.
 *
 * @param pinned whether each process has a processor of its own, a fixed heap and the serial collector. Otherwise it runs as a user starts
 *   it: anywhere, with Java's default heap and collector.
 * @param loops event loops of each process; 0 for Vert.x's default
 * @param wakeDelay microseconds by which each wake-up of an event loop is delayed
 */
record Surroundings(boolean pinned, int loops, int wakeDelay) {
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

  /** Returns the command that runs a command of a JVM in these surroundings. */
  List<String> command(Pinning pinning, List<String> command) {
    List<String> all = new ArrayList<>();
    if (wakeDelay > 0) {
      all.addAll(List.of("env", "LD_PRELOAD=" + library(), "VERTX_RDMA_WAKE_DELAY=" + wakeDelay));
    }
    all.addAll(command);
    return placed(pinning, all);
  }

  /** Returns the command that runs a command on its processor, if processes are pinned. */
  List<String> placed(Pinning pinning, List<String> command) {
    return pinned ? pinning.command(command) : command;
  }

  /** Describes the machine, and how processes run on it. */
  String onThisMachine() {
    String refusal = Pinning.unpinned();
    return Machine.name() + "; "
      + (!pinned ? "nothing pinned" : refusal == null ? "server on CPU 0, client on CPU 1" : "not pinned: " + refusal)
      + ", " + (loops == 0 ? "Vert.x's default number of event loops" : loops == 1 ? "one event loop per process"
        : loops + " event loops per process");
  }

  @Override
  public String toString() {
    return (pinned ? "pinned" : "anywhere") + (wakeDelay > 0 ? ", wake-ups " + wakeDelay + " µs later" : "");
  }
}
