package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.directory.ProcessIdentity;
import java.util.Optional;

/**
 * Names a process in the names of its files, in folders that processes of several PID namespaces may share, as containers do: there a
 * process id alone is that of many.
 *
 * @param start when it started, in the system's own units
 */
public record ProcessName(long pidNamespace, long pid, long start) {
  private static final String SEPARATOR = "-";
  private static final int PARTS = 4;

  /** This process. */
  public static ProcessName own() {
    ProcessIdentity self = ProcessIdentity.current();
    return new ProcessName(self.pidNamespace(), self.pid(), ProcessLife.ownStart());
  }

  /** The process that a file {@code PIDNS-PID-START-REST} belongs to; empty for files of other names. */
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

  /** The name of a file of this process. @param rest tells its files apart; without a hyphen */
  public String file(String rest) {
    return String.join(SEPARATOR, Long.toString(pidNamespace), Long.toString(pid), Long.toString(start), rest);
  }

  /** Whether it can be asked about from here; of processes in other PID namespaces only their files tell. */
  public boolean isNear() {
    return pidNamespace == ProcessIdentity.current().pidNamespace();
  }

  /** Whether it lives; for those that are near. */
  public boolean isAlive() {
    return ProcessLife.alive(pid, start);
  }
}
