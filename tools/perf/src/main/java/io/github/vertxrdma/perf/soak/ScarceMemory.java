package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.perf.Programs;
import io.github.vertxrdma.perf.SkippedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Limits the memory of a running process by prlimit(1). The process can no longer pin more than 8 KiB, or write files beyond 8 KiB,
 * including shared memory. It keeps its present memory.
 */
final class ScarceMemory {
  private static final List<String> LIMITS = List.of("--fsize", "--memlock");
  private static final String LEAST = "8192";

  private final List<String> usual = new ArrayList<>();

  ScarceMemory() throws SkippedException {
    try {
      for (String limit : LIMITS) {
        usual.add(prlimit(ProcessHandle.current().pid(), limit, "--noheadings", "--raw", "--output", "SOFT"));
      }
    } catch (IOException e) {
      throw new SkippedException(e.getMessage());
    }
  }

  void begin(long pid) throws IOException {
    set(pid, List.of(LEAST, LEAST));
  }

  void end(long pid) throws IOException {
    set(pid, usual);
  }

  private static void set(long pid, List<String> soft) throws IOException {
    prlimit(pid, LIMITS.get(0) + '=' + soft.get(0) + ':', LIMITS.get(1) + '=' + soft.get(1) + ':');
  }

  private static String prlimit(long pid, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("prlimit", "--pid", String.valueOf(pid)));
    command.addAll(List.of(arguments));
    return Programs.output(command);
  }
}
