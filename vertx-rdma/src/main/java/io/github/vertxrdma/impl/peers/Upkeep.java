package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.process.FileWatch;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Checks files within 5 s of {@link #soon}. Checks every 5 to 15 s if {@link FileWatch} may miss changes of others, or a check failed. Any
 * thread.
 */
public final class Upkeep {
  private static final long SOON_MILLIS = 1_000;
  private static final long FIRST_MILLIS = 5_000;
  /** Pauses between checks. Not random, because only this node checks its files. */
  private static final Attempts.Limits PAUSES = Attempts.Limits.endless(FIRST_MILLIS, 15_000, () -> 0.5);

  private final ContextInternal loop;
  private final BlockingCalls calls;
  private final Supplier<Collection<Path>> kept;
  private final Supplier<Collection<Path>> read;
  private final Supplier<Future<?>> look;
  private final FileWatch watch = new FileWatch(this::soon);
  private Attempts pauses = new Attempts(PAUSES);
  private long timer = -1;
  private long dueNanos;
  private long lookedNanos;
  private boolean looking;
  private boolean again;
  private boolean closed;

  /**
   * @param kept returns files that {@code look} restores; may block
   * @param read returns files that {@code look} reads; may block
   * @param look checks the files; repeated after the shortest pause if it fails, after the next one if it returns false
   */
  public Upkeep(ContextInternal loop, Supplier<Collection<Path>> kept, Supplier<Collection<Path>> read, Supplier<Future<?>> look) {
    this.loop = loop;
    this.calls = new BlockingCalls(loop);
    this.kept = kept;
    this.read = read;
    this.look = look;
    this.lookedNanos = System.nanoTime();
  }

  public void now() {
    LoopCall.execute(loop, this::look);
  }

  /** Schedules a check, after an event that a change of a file may have caused. */
  public void soon() {
    LoopCall.execute(loop, () -> {
      pauses = new Attempts(PAUSES);
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
    again = looking;
    if (looking || closed) {
      return;
    }
    looking = true;
    lookedNanos = System.nanoTime();
    // Watches before the check, so that no change is missed.
    calls.call(() -> watch.watch(kept.get(), read.get())).onComplete(watched -> LoopCall.execute(loop, () -> look(watched.succeeded()
      && watched.result())));
  }

  private void look(boolean isWatched) {
    if (closed) {
      looking = false;
      return;
    }
    look.get().onComplete(done -> LoopCall.execute(loop, () -> {
      looking = false;
      pauses = done.failed() ? new Attempts(PAUSES) : pauses;
      if (again || done.failed() || !isWatched || Boolean.FALSE.equals(done.result())) {
        set(pauses.pauseMillis());
      }
    }));
  }

  public void close() {
    LoopCall.execute(loop, () -> {
      closed = true;
      loop.owner().cancelTimer(timer);
    });
    calls.call(() -> {
      watch.close();
      return null;
    });
  }
}
