package io.github.vertxrdma.perf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Pins the server to CPU 0 and the client to CPU 1, by taskset(1) if possible. */
enum Pinning {
  SERVER("0"), CLIENT("1");

  private static final String REFUSAL = refusal();

  private final String cpu;

  Pinning(String cpu) {
    this.cpu = cpu;
  }

  List<String> command(List<String> command) {
    if (REFUSAL != null) {
      return command;
    }
    List<String> pinned = new ArrayList<>(List.of("taskset", "-c", cpu));
    pinned.addAll(command);
    return pinned;
  }

  /** Returns why processes are not pinned; null if they are. */
  static String unpinned() {
    return REFUSAL;
  }

  private static String refusal() {
    if (Runtime.getRuntime().availableProcessors() < 2) {
      return "this machine has only one processor";
    }
    try {
      Process probe = new ProcessBuilder("taskset", "-c", "0,1", "true").redirectErrorStream(true).start();
      boolean ended = probe.waitFor(5, TimeUnit.SECONDS);
      return ended && probe.exitValue() == 0 ? null : "taskset(1) failed";
    } catch (IOException e) {
      return "taskset(1) is not installed";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }
}
