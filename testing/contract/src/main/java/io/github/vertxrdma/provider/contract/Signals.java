package io.github.vertxrdma.provider.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

public final class Signals {
  private Signals() {
  }

  /**
   * Sends a signal. For {@code STOP}, waits until all threads have stopped.
   *
   * @param name {@code STOP}, {@code CONT}, {@code TERM} or {@code KILL}
   */
  public static void send(long pid, String name) throws IOException, InterruptedException {
    // Minimal systems have no kill(1).
    int status = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid).inheritIO().start().waitFor();
    if (status == 0 && name.equals("STOP")) {
      Await.until("process " + pid + " stops", () -> isStopped(pid));
    }
  }

  private static boolean isStopped(long pid) {
    try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      List<Path> all = threads.toList();
      return all.stream().allMatch(Signals::isThreadStopped);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The state follows the name, which may contain parentheses. */
  private static boolean isThreadStopped(Path thread) {
    try {
      String stat = Files.readString(thread.resolve("stat"));
      return "TtZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) >= 0;
    } catch (IOException e) {
      return true;
    }
  }
}
