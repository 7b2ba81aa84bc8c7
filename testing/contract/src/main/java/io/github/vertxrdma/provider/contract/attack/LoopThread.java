package io.github.vertxrdma.provider.contract.attack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Times of a thread; proc_pid_stat(5), and /proc/pid/schedstat of proc(5). */
public final class LoopThread {
  private final Path task;
  private long used;

  /** @param task folder of the thread, {@code /proc/PID/task/TID} */
  public LoopThread(Path task) {
    this.task = task;
  }

  /** Returns the calling thread. Its files do not exist if this system has none. */
  static LoopThread current() {
    try {
      return new LoopThread(Path.of("/proc").resolve(Files.readSymbolicLink(Path.of("/proc/thread-self"))));
    } catch (IOException e) {
      return new LoopThread(Path.of("/proc/unknown"));
    }
  }

  /**
   * Returns the part of the last nanoseconds in which the thread slept or ran. A thread that can run and gets no processor does not pause.
   * Without the thread's files, the result is the whole time.
   */
  public long paused(long nanos) {
    try {
      String stat = Files.readString(task.resolve("stat"));
      long now = Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0]);
      long more = now - used;
      used = now;
      return now > 0 && stat.startsWith(") R", stat.lastIndexOf(')')) ? Math.min(nanos, more) : nanos;
    } catch (IOException e) {
      return nanos;
    }
  }
}
