package io.github.vertxrdma.impl.loop;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * Threads of the machine that run or want to, the asking one among them: the fourth word of Linux's loadavg, proc(5). It is read every 10
 * ms at most, by whoever asks first. Any thread.
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
      return (int) ProcLine.number(line, file.read(line), 3);
    } catch (IOException e) {
      next.set(next.get() + TimeUnit.DAYS.toNanos(1));
      return -1;
    }
  }
}
