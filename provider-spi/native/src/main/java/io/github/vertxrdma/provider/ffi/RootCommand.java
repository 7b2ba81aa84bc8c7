package io.github.vertxrdma.provider.ffi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Formats a command that needs root: with {@code sudo} unless this process's user is root. */
public final class RootCommand {
  private static final boolean ROOT = isRoot(Path.of("/proc/self/status"));

  private RootCommand() {
  }

  public static String of(String command) {
    return of(command, ROOT);
  }

  static String of(String command, boolean root) {
    return root ? command : "sudo " + command;
  }

  /** Checks the effective user, the second number of {@code Uid:} in proc_pid_status(5). */
  static boolean isRoot(Path status) {
    try {
      return Files.readAllLines(status).stream().anyMatch(line -> line.matches("Uid:\\s+\\d+\\s+0\\s.*"));
    } catch (IOException e) {
      return System.getProperty("user.name").equals("root");
    }
  }
}
