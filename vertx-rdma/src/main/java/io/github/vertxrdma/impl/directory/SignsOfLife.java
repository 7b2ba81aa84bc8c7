package io.github.vertxrdma.impl.directory;

import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Judges processes that cannot be asked about, since they are of another PID namespace, by the files that they touch. One that touches none
 * may be stopped, which {@link LifeMark} tells. Silence counts only while this process looks: neither a wall clock that is set nor a pause,
 * of this process or of the whole machine, ages a file. Confined to one thread.
 */
final class SignsOfLife {
  /** A process whose file is not touched for so long is dead or stopped. Running ones touch theirs five times as often. */
  static final long SILENT_MILLIS = 10_000;
  /** Looks come more often; one that comes later was held up, as those may have been whom it judges. */
  static final long LATE_MILLIS = 1_000;

  private final Map<Path, Sign> signs = new HashMap<>();
  /** Time that this process looked, in nanoseconds. */
  private long awake;
  private long looked;
  private boolean begun;

  /** @param at when that time was seen first @param believed whether the file was touched not long ago, or since */
  private record Sign(FileTime touched, long at, boolean believed) {
  }

  enum Life {
    ALIVE,
    /** Not touched for long when it was seen first: left from a dead process, or the clock was set. */
    UNKNOWN,
    DEAD
  }

  /** A look begins. */
  void look(long nanoTime) {
    if (begun) {
      awake += Math.min(nanoTime - looked, TimeUnit.MILLISECONDS.toNanos(LATE_MILLIS));
    }
    begun = true;
    looked = nanoTime;
  }

  /** @param now the wall clock in milliseconds, asked for files that were not seen before alone */
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

  /** A look ends: other files are not there any more. */
  void retain(Set<Path> files) {
    signs.keySet().retainAll(files);
  }
}
