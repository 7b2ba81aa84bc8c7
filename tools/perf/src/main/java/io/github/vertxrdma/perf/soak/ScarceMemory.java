package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.perf.SkippedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Denies memory to a running process by prlimit(1): files of more than two pages, which include shared memory, and pinned memory. Present
 * memory is kept.
 */
final class ScarceMemory {
  private static final List<String> LIMITS = List.of("--fsize", "--memlock");
  private static final String LEAST = "8192";

  private final List<String> usual = new ArrayList<>();

  ScarceMemory() throws SkippedException, InterruptedException {
    try {
      for (String limit : LIMITS) {
        usual.add(prlimit(ProcessHandle.current().pid(), limit, "--noheadings", "--raw", "--output", "SOFT").strip());
      }
    } catch (IOException e) {
      throw new SkippedException(e.getMessage());
    }
  }

  void begin(long pid) throws IOException, InterruptedException {
    set(pid, List.of(LEAST, LEAST));
  }

  void end(long pid) throws IOException, InterruptedException {
    set(pid, usual);
  }

  private static void set(long pid, List<String> soft) throws IOException, InterruptedException {
    prlimit(pid, LIMITS.get(0) + '=' + soft.get(0) + ':', LIMITS.get(1) + '=' + soft.get(1) + ':');
  }

  private static String prlimit(long pid, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("prlimit", "--pid", String.valueOf(pid)));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("prlimit(1) says " + words.strip());
    }
    return words;
  }
}
