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

/** Waits until a look-up succeeds. */
final class PendingLookup<T> implements Consumer<DirectoryEvent> {
  /** Time after which a look-up counts as late. */
  static final long LATE_MILLIS = 1_000;

  private final DirectoryCache cache;
  private final Supplier<Optional<T>> lookUp;
  private final ContextInternal context;
  private final Promise<T> promise;

  /** @param lookUp called at every change: cheap, without locks */
  PendingLookup(Vertx vertx, DirectoryCache cache, Supplier<Optional<T>> lookUp) {
    this.cache = cache;
    this.lookUp = lookUp;
    this.context = ((VertxInternal) vertx).getOrCreateContext();
    this.promise = LoopCall.promise(context);
  }

  @Override
  public void accept(DirectoryEvent event) {
    // Later, as the cache is locked.
    lookUp.get().ifPresent(found -> LoopCall.execute(context, () -> promise.tryComplete(found)));
  }

  /** Returns the result on the caller's context. @param late called once if it waits for long */
  Future<T> start(long timeoutMillis, Supplier<Throwable> timeout, Runnable late) {
    lookUp.get().ifPresent(promise::tryComplete);
    if (promise.future().isComplete()) {
      return promise.future();
    }
    // Called with all present entries.
    cache.addListener(this);
    // Timers of the context end with its verticle, and wait while it blocks.
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
