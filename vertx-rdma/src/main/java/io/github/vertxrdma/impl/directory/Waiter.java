package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.impl.loop.Told;
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

/** Waits until a look-up finds something. */
final class Waiter<T> implements Consumer<DirectoryEvent> {
  private final DirectoryCache cache;
  private final Supplier<Optional<T>> lookUp;
  private final ContextInternal context;
  private final Promise<T> promise;

  /** @param lookUp cheap and without locks of its own, since it is asked at every change */
  Waiter(Vertx vertx, DirectoryCache cache, Supplier<Optional<T>> lookUp) {
    this.cache = cache;
    this.lookUp = lookUp;
    this.context = ((VertxInternal) vertx).getOrCreateContext();
    this.promise = Told.promise(context);
  }

  @Override
  public void accept(DirectoryEvent event) {
    // In a task of its own: the cache is locked here, and whoever waits may do anything.
    lookUp.get().ifPresent(found -> Told.run(context, () -> promise.tryComplete(found)));
  }

  /** The entries it finds, on the context that made it; fails after the timeout. */
  Future<T> start(long timeoutMillis, Supplier<Throwable> timeout) {
    lookUp.get().ifPresent(promise::tryComplete);
    if (promise.future().isComplete()) {
      return promise.future();
    }
    // The directory may have got it between the look-up above and this; the listener is told of all that is there.
    cache.addListener(this);
    // Timer of the event loop: those of the context end with its verticle, and wait for it where it blocks.
    ScheduledFuture<?> timer = context.nettyEventLoop()
      .schedule(() -> promise.tryFail(timeout.get()), Math.max(1, timeoutMillis), TimeUnit.MILLISECONDS);
    return promise.future().onComplete(done -> {
      timer.cancel(false);
      cache.removeListener(this);
    });
  }

  void fail(Throwable cause) {
    promise.tryFail(cause);
  }
}
