package io.github.vertxrdma.impl.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;

/** Checks whether processes of this PID namespace are alive, identified by pid and start time. */
final class ProcessLife {
  private static final boolean LINUX = Files.exists(Path.of("/proc/self/stat"));

  private ProcessLife() {
  }

  /** Returns the start time of this process: clock ticks as in /proc/PID/stat, or epoch milliseconds without it. */
  public static long ownStart() {
    try {
      return start(ProcessHandle.current().pid());
    } catch (IOException e) {
      return -1;
    }
  }

  /** Returns false for ended processes, including zombies. A process that cannot be examined counts as alive. */
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

  /** @return -1 if there is no such process @throws IOException also if it ends meanwhile: ESRCH */
  private static long start(long pid) throws IOException {
    if (!LINUX) {
      return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).flatMap(process -> process.info().startInstant())
        .map(Instant::toEpochMilli).orElse(-1L);
    }
    try {
      // proc_pid_stat(5): the parentheses may contain any characters; state is field 3, start time field 22.
      String stat = Files.readString(directory(pid).resolve("stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return fields[0].equals("Z") || fields[0].equals("X") ? -1 : Long.parseLong(fields[19]);
    } catch (NoSuchFileException e) {
      return -1;
    }
  }
}
