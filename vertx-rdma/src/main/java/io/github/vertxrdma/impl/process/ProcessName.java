package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.directory.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** Process in names of files, in folders that containers with different PID namespaces may share. @param start in the system's units */
public record ProcessName(long pidNamespace, long pid, long start) {
  private static final String SEPARATOR = "-";
  private static final int PARTS = 4;
  private static final long START = ownStart();

  public static ProcessName own() {
    ProcessIdentity self = ProcessIdentity.current();
    return new ProcessName(self.pidNamespace(), self.pid(), START);
  }

  /** Parses a file name {@code PIDNS-PID-START-REST}. Empty for others. */
  public static Optional<ProcessName> of(String file) {
    String[] parts = file.split(SEPARATOR);
    if (parts.length != PARTS) {
      return Optional.empty();
    }
    try {
      return Optional.of(new ProcessName(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2])));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** @param rest distinguishes files; without a hyphen */
  public String file(String rest) {
    return String.join(SEPARATOR, Long.toString(pidNamespace), Long.toString(pid), Long.toString(start), rest);
  }

  /** Returns whether the process is in this PID namespace. */
  public boolean isNear() {
    return pidNamespace == ProcessIdentity.current().pidNamespace();
  }

  /** Returns clock ticks as in /proc/self/stat, or epoch milliseconds without it, or 0. */
  private static long ownStart() {
    try {
      // proc_pid_stat(5): the parentheses may contain any characters; start time is field 22, after the state in field 3.
      String stat = Files.readString(Path.of("/proc/self/stat"));
      return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19]);
    } catch (IOException | RuntimeException e) {
      return ProcessHandle.current().info().startInstant().map(Instant::toEpochMilli).orElse(0L);
    }
  }
}
