package io.github.vertxrdma.impl.loop;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * Threads of the machine that run or want to, the asking one among them: the fourth word of Linux's loadavg, proc(5). It is read every 10 ms at
 * most, by whoever asks first. Any thread.
 */
final class RunnableThreads implements IntSupplier {
  static final RunnableThreads MACHINE = new RunnableThreads();
  private static final long PERIOD = TimeUnit.MILLISECONDS.toNanos(10);

  private final AtomicLong next = new AtomicLong(System.nanoTime());
  private final byte[] line = new byte[64];
  private RandomAccessFile file;
  private volatile int count = -1;

  private RunnableThreads() {
  }

  /** @return less than 0 where the system does not tell */
  @Override
  public int getAsInt() {
    long due = next.get();
    long now = System.nanoTime();
    if (now - due >= 0 && next.compareAndSet(due, now + PERIOD)) {
      count = read();
    }
    return count;
  }

  private synchronized int read() {
    try {
      if (file == null) {
        file = new RandomAccessFile("/proc/loadavg", "r");
      }
      file.seek(0);
      return count(line, file.read(line));
    } catch (IOException e) {
      next.set(next.get() + TimeUnit.DAYS.toNanos(1));
      return -1;
    }
  }

  /** @param line as in {@code 0.20 0.18 0.12 2/80 11206} */
  static int count(byte[] line, int length) {
    int words = 0;
    int count = -1;
    for (int i = 0; i < length && words <= 3; i++) {
      if (line[i] == ' ') {
        words++;
      } else if (words == 3) {
        if (line[i] == '/') {
          return count;
        }
        count = 10 * Math.max(count, 0) + line[i] - '0';
      }
    }
    return -1;
  }
}
