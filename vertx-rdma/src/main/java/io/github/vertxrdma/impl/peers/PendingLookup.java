package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Repeats a look-up at each change of the directory until it succeeds. */
final class PendingLookup<T> implements Consumer<DirectoryEvent> {
  /** Time after which a look-up is reported as late. */
  static final long LATE_MILLIS = 1_000;

  private final DirectoryCache cache;
  private final Supplier<Optional<T>> lookUp;
  private final ContextInternal context;
  private final Promise<T> promise;

  /** @param lookUp called at every change; must be fast and take no lock */
  PendingLookup(Vertx vertx, DirectoryCache cache, Supplier<Optional<T>> lookUp) {
    this.cache = cache;
    this.lookUp = lookUp;
    this.context = ((VertxInternal) vertx).getOrCreateContext();
    this.promise = LoopCall.promise(context);
  }

  @Override
  public void accept(DirectoryEvent event) {
    // Completed in a later task, because the cache is locked.
    lookUp.get().ifPresent(found -> LoopCall.execute(context, () -> promise.tryComplete(found)));
  }

  /** Returns the result on the caller's context. @param late called once, after {@link #LATE_MILLIS} */
  Future<T> start(long timeoutMillis, Supplier<Throwable> timeout, Runnable late) {
    lookUp.get().ifPresent(promise::tryComplete);
    if (promise.future().isComplete()) {
      return promise.future();
    }
    // The cache calls the new listener with all entries.
    cache.addListener(this);
    // Timers of the context would end with its verticle, and be late while it blocks.
    ScheduledFuture<?> timer = context.nettyEventLoop()
      .schedule(() -> promise.tryFail(timeout.get()), Math.max(1, timeoutMillis), TimeUnit.MILLISECONDS);
    ScheduledFuture<?> hint = context.nettyEventLoop().schedule(late, LATE_MILLIS, TimeUnit.MILLISECONDS);
    return promise.future().onComplete(done -> {
      timer.cancel(false);
      hint.cancel(false);
      cache.removeListener(this);
    });
  }

  void fail(Throwable cause) {
    promise.tryFail(cause);
  }
}
