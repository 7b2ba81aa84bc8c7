package io.github.vertxrdma.cli.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

public interface Shell {

  /**
   * @param status 127 if there is no such command
   * @param output output and errors, without surrounding white space
   */
  record Result(int status, String output) {
    public boolean ok() {
      return status == 0;
    }
  }

  /** Runs a command to its end, without input. */
  Result run(List<String> command);

  static Shell system() {
    return command -> {
      try {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return new Result(process.waitFor(), output);
      } catch (IOException e) {
        return new Result(127, e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return new Result(130, "interrupted");
      }
    };
  }
}
