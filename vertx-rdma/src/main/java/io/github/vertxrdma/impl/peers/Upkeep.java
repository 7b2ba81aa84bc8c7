package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.impl.poll.LoopCall;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Repeats a look at files that others may remove or change: within five seconds after something happened here, and otherwise after pauses
 * that grow to 15 s. Any thread.
 */
public final class Upkeep {
  private static final long SOON_MILLIS = 1_000;
  private static final long FIRST_MILLIS = 5_000;
  private static final long LONGEST_MILLIS = 15_000;

  private final ContextInternal loop;
  private final Supplier<Future<?>> look;
  private long pauseMillis = FIRST_MILLIS;
  private long timer = -1;
  private long dueNanos;
  private long lookedNanos;
  private boolean looking;
  private boolean closed;

  /** @param look fails to be repeated after the shortest pause */
  public Upkeep(ContextInternal loop, Supplier<Future<?>> look) {
    this.loop = loop;
    this.look = look;
    this.lookedNanos = System.nanoTime();
  }

  /** Looks for the first time, or again. */
  public void now() {
    LoopCall.execute(loop, this::look);
  }

  /** Called when something has happened that may be the effect of a change. */
  public void soon() {
    LoopCall.execute(loop, () -> {
      pauseMillis = FIRST_MILLIS;
      long sinceMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lookedNanos);
      set(Math.max(SOON_MILLIS, FIRST_MILLIS - sinceMillis));
    });
  }

  private void set(long millis) {
    long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    if (!closed && (timer == -1 || dueNanos - due > 0)) {
      loop.owner().cancelTimer(timer);
      dueNanos = due;
      timer = loop.setTimer(millis, id -> {
        timer = -1;
        look();
      });
    }
  }

  private void look() {
    if (looking || closed) {
      return;
    }
    looking = true;
    lookedNanos = System.nanoTime();
    look.get().onComplete(done -> LoopCall.execute(loop, () -> {
      looking = false;
      pauseMillis = done.failed() ? FIRST_MILLIS : pauseMillis;
      set(pauseMillis);
      pauseMillis = Math.min(LONGEST_MILLIS, 4 * pauseMillis);
    }));
  }

  public void close() {
    LoopCall.execute(loop, () -> {
      closed = true;
      loop.owner().cancelTimer(timer);
    });
  }
}
