package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.directory.ProcessIdentity;
import java.util.Optional;

/** Identity of a process in the names of its files. Containers may share the folder of these files. */
public record ProcessName(long pidNamespace, long pid, long process) {
  private static final String SEPARATOR = "-";
  private static final int PARTS = 4;

  public static ProcessName own() {
    ProcessIdentity self = ProcessIdentity.current();
    return new ProcessName(self.pidNamespace(), self.pid(), self.process());
  }

  /** Parses a file name {@code PIDNS-PID-PROCESS-REST}. Returns empty for other names. */
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

  /** @param rest distinguishes files of one process; contains no hyphen */
  public String file(String rest) {
    return String.join(SEPARATOR, Long.toString(pidNamespace), Long.toString(pid), Long.toString(process), rest);
  }

  public boolean isNear() {
    return pidNamespace == ProcessIdentity.current().pidNamespace();
  }
}
