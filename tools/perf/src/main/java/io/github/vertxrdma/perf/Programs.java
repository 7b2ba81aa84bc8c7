package io.github.vertxrdma.perf;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

public final class Programs {
  private Programs() {
  }

  /**
   * Returns all output of a program.
   *
   * @throws IOException if the program is missing or fails; the message contains the output
   */
  public static String output(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    try {
      if (process.waitFor() != 0) {
        throw new IOException(command.getFirst() + " failed: " + words);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return words;
  }
}
