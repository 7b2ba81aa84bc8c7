package io.github.vertxrdma.provider.contract.parsers;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

final class Trial {
  /** Maximum number of allocated bytes, plus {@link #PER_BYTE} for each input byte. */
  private static final long MEMORY = 1 << 20;
  private static final long PER_BYTE = 100;
  private static final long CPU_NANOS = TimeUnit.SECONDS.toNanos(1);
  /** Time without progress that counts as an endless loop. */
  private static final long NO_PROGRESS_MILLIS = 30_000;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Parser parser;
  private volatile int done;
  private volatile byte[] current = {};
  private volatile Throwable failure;

  Trial(Parser parser) {
    this.parser = parser;
  }

  /**
   * Runs mutated inputs on another thread, because a parser may not return.
   *
   * @return number of accepted inputs
   */
  int run(Mutator mutator, int inputs) throws InterruptedException {
    int[] taken = {0};
    Thread trying = Thread.ofPlatform().daemon().name("parser " + parser.name()).start(() -> {
      try {
        for (int i = 0; i < inputs; i++) {
          current = mutator.next();
          taken[0] += run(current) ? 1 : 0;
          done = i + 1;
        }
      } catch (Throwable e) {
        failure = e;
      }
    });
    do {
      int before = done;
      trying.join(NO_PROGRESS_MILLIS);
      if (trying.isAlive() && done == before) {
        throw failed(current, "does not end with", null);
      }
    } while (trying.isAlive());
    if (failure != null) {
      throw new AssertionError(failure.getMessage(), failure);
    }
    return taken[0];
  }

  boolean run(byte[] input) {
    long started = System.nanoTime();
    long allocated = -THREADS.getCurrentThreadAllocatedBytes();
    boolean taken = read(input);
    allocated += THREADS.getCurrentThreadAllocatedBytes();
    if (allocated > mostAllocated(input) || System.nanoTime() - started > CPU_NANOS) {
      // Measures again, because the first input loads classes.
      again(input);
    }
    return taken;
  }

  private void again(byte[] input) {
    long cpu = -THREADS.getCurrentThreadCpuTime();
    long allocated = -THREADS.getCurrentThreadAllocatedBytes();
    read(input);
    allocated += THREADS.getCurrentThreadAllocatedBytes();
    cpu += THREADS.getCurrentThreadCpuTime();
    if (allocated > mostAllocated(input)) {
      throw failed(input, "allocates " + allocated + " bytes for", null);
    }
    if (cpu > CPU_NANOS) {
      throw failed(input, "takes more than a second for", null);
    }
  }

  private long mostAllocated(byte[] input) {
    return MEMORY * parser.cost() + PER_BYTE * input.length;
  }

  private boolean read(byte[] input) {
    try {
      parser.reading().read(input.clone());
      return true;
    } catch (Throwable e) {
      // Subclasses of the refusal count as failures.
      if (e.getClass() != parser.refusal()) {
        throw failed(input, "neither accepts nor refuses", e);
      }
      return false;
    }
  }

  private AssertionError failed(byte[] input, String what, Throwable cause) {
    return new AssertionError(parser.name() + ' ' + what + ' ' + HexFormat.of().formatHex(input) + (cause == null ? "" : ": " + cause),
      cause);
  }
}
