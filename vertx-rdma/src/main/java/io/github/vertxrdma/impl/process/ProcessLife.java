package io.github.vertxrdma.impl.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;

/** Whether a process of this PID namespace lives. A process id alone may have been given to another; with the start time it is one. */
public final class ProcessLife {
  private static final boolean LINUX = Files.exists(Path.of("/proc/self/stat"));

  private ProcessLife() {
  }

  /** When this process started, in the system's own units; what {@link #alive} wants. */
  public static long ownStart() {
    return start(ProcessHandle.current().pid());
  }

  /** False for a process that has ended, be it that its parent has not looked yet (a zombie). */
  public static boolean alive(long pid, long start) {
    return start(pid) == start;
  }

  /** -1 if there is no such process. */
  private static long start(long pid) {
    if (!LINUX) {
      return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).flatMap(process -> process.info().startInstant())
        .map(Instant::toEpochMilli).orElse(-1L);
    }
    try {
      // proc_pid_stat(5): the command in parentheses may hold anything; then field 3 is the state, field 22 the start time.
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return fields[0].equals("Z") || fields[0].equals("X") ? -1 : Long.parseLong(fields[19]);
    } catch (NoSuchFileException e) {
      return -1;
    } catch (IOException e) {
      return -1; // ESRCH: it ended while it was read
    }
  }
}
