package io.github.vertxrdma.impl.loop;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.function.LongSupplier;

/**
 * Nanoseconds that the asking thread has waited for a processor while it could have run: the second word of Linux's
 * {@code /proc/thread-self/schedstat}, proc(5). For one thread.
 */
final class CoreWait implements LongSupplier {
  private final byte[] line = new byte[64];
  private boolean told = true;

  /** @return less than 0 where the system does not tell */
  @Override
  public long getAsLong() {
    if (told) {
      // Opened each time: nobody says when the thread ends.
      try (FileInputStream file = new FileInputStream("/proc/thread-self/schedstat")) {
        return ProcLine.number(line, file.read(line), 1);
      } catch (IOException e) {
        told = false;
      }
    }
    return -1;
  }
}
