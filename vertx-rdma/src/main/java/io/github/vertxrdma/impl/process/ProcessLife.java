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
    try {
      return start(ProcessHandle.current().pid());
    } catch (IOException e) {
      return -1;
    }
  }

  /**
   * False for a process that has ended, be it that its parent has not looked yet (a zombie). One that is there and cannot be asked about,
   * as where this process has no file descriptor left, is taken for alive.
   */
  public static boolean alive(long pid, long start) {
    try {
      return start(pid) == start;
    } catch (IOException e) {
      return Files.exists(directory(pid));
    }
  }

  private static Path directory(long pid) {
    return Path.of("/proc", Long.toString(pid));
  }

  /** -1 if there is no such process. @throws IOException also if it ended while it was read: ESRCH */
  private static long start(long pid) throws IOException {
    if (!LINUX) {
      return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).flatMap(process -> process.info().startInstant())
        .map(Instant::toEpochMilli).orElse(-1L);
    }
    try {
      // proc_pid_stat(5): the command in parentheses may hold anything; then field 3 is the state, field 22 the start time.
      String stat = Files.readString(directory(pid).resolve("stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return fields[0].equals("Z") || fields[0].equals("X") ? -1 : Long.parseLong(fields[19]);
    } catch (NoSuchFileException e) {
      return -1;
    }
  }
}
