package io.github.vertxrdma.impl.peers;

import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Judges whether processes are alive whose locks cannot be seen ({@link io.github.vertxrdma.impl.process.HeldFile}), by the times of files
 * that they touch. Silence counts only while this process checks, so a changed clock or a pause of this process or machine ages no file.
 * Confined to one thread.
 */
final class SignsOfLife {
  /** A process that has not touched its file for this time is dead. */
  static final long SILENT_MILLIS = 40_000;
  /** A check that comes later means that this process was held up, as the others may have been. */
  static final long LATE_MILLIS = 1_000;

  private final Map<Path, Sign> signs = new HashMap<>();
  /** Nanoseconds during which this process checked. */
  private long awake;
  private long looked;
  private boolean begun;

  /**
   * @param at value of {@code awake} when the time was first seen
   * @param believed true if the file was touched recently or since
   */
  private record Sign(FileTime touched, long at, boolean believed) {
  }

  enum Life {
    ALIVE,
    /** The file was old when it was first seen: its process is dead, or the clock was changed. */
    UNKNOWN,
    DEAD
  }

  /** Begins a check. */
  void look(long nanoTime) {
    if (begun) {
      awake += Math.min(nanoTime - looked, TimeUnit.MILLISECONDS.toNanos(LATE_MILLIS));
    }
    begun = true;
    looked = nanoTime;
  }

  /** @param now wall clock in milliseconds, used for new files only */
  Life judge(Path file, FileTime touched, long now) {
    Sign sign = signs.get(file);
    if (sign == null) {
      sign = new Sign(touched, awake, Math.abs(now - touched.toMillis()) < SILENT_MILLIS);
      signs.put(file, sign);
    } else if (!sign.touched.equals(touched)) {
      sign = new Sign(touched, awake, true);
      signs.put(file, sign);
    }
    if (awake - sign.at > TimeUnit.MILLISECONDS.toNanos(SILENT_MILLIS)) {
      return Life.DEAD;
    }
    return sign.believed ? Life.ALIVE : Life.UNKNOWN;
  }

  /** Ends a check: forgets other files. */
  void retain(Set<Path> files) {
    signs.keySet().retainAll(files);
  }
}
