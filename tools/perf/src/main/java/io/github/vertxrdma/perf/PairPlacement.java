package io.github.vertxrdma.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Processors and event loops of a pair of processes.
 *
 * @param pinned whether each process has its own processor, a fixed heap and the serial collector
 * @param loops event loops of each process; 0 for Vert.x's default
 */
record PairPlacement(boolean pinned, int loops) {
  List<String> command(Pinning pinning, List<String> command) {
    return pinned ? pinning.command(command) : command;
  }

  String onThisMachine() {
    String refusal = Pinning.unpinned();
    return machine() + "; "
      + (!pinned ? "nothing pinned" : refusal == null ? "server on CPU 0, client on CPU 1" : "not pinned: " + refusal)
      + ", " + (loops == 0 ? "Vert.x's default number of event loops" : loops == 1 ? "one event loop per process"
        : loops + " event loops per process");
  }

  static String machine() {
    return System.getProperty("os.name") + " " + line("/etc/os-release", "PRETTY_NAME=", System.getProperty("os.version")) + ", "
      + System.getProperty("os.arch") + ", " + Runtime.getRuntime().availableProcessors() + " processors, "
      + line("/proc/cpuinfo", "model name", "unknown model") + ", Java " + Runtime.version();
  }

  /** Returns the rest of the first line of a file that begins with a text. */
  private static String line(String file, String begin, String otherwise) {
    try {
      return Files.readAllLines(Path.of(file)).stream().filter(line -> line.startsWith(begin))
        .map(line -> line.substring(begin.length()).replaceFirst("^[\\s:]+", "").replace("\"", "")).findFirst().orElse(otherwise);
    } catch (IOException e) {
      return otherwise;
    }
  }

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
}
