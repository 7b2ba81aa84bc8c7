package io.github.vertxrdma.base;

import java.util.function.Consumer;
import java.util.function.Supplier;

/** Logs once what a call waits for, if it takes longer than 5 s. Thread-safe. */
public final class LongWait {
  private static final long MILLIS = 5_000;

  private final Runnable cancel;
  private volatile boolean ended;

  public interface Timer {
    /** Runs a task after a number of milliseconds. Returns an action that cancels the task. */
    Runnable set(long millis, Runnable task);
  }

  /** @param awaited returns what the call waits for at that time */
  public LongWait(Timer timer, Consumer<String> log, String call, Supplier<String> awaited) {
    cancel = timer.set(MILLIS, () -> {
      if (!ended) {
        log.accept(call + " has waited for " + awaited.get() + " for " + MILLIS + " ms, and continues to wait");
      }
    });
  }

  public void end() {
    ended = true;
    cancel.run();
  }
}
