package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.EndpointDirectory;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Waits until a look-up finds something. */
final class Waiter<T> implements Consumer<DirectoryEvent> {
  private final Supplier<Optional<T>> lookUp;
  private final Promise<T> promise;

  private Waiter(Supplier<Optional<T>> lookUp, Promise<T> promise) {
    this.lookUp = lookUp;
    this.promise = promise;
  }

  @Override
  public void accept(DirectoryEvent event) {
    lookUp.get().ifPresent(promise::tryComplete);
  }

  static <T> Future<T> await(Vertx vertx, EndpointDirectory directory, DirectoryCache cache, String what, long timeoutMillis,
                             Supplier<Optional<T>> lookUp) {
    Promise<T> promise = ((VertxInternal) vertx).getOrCreateContext().promise();
    Optional<T> present = lookUp.get();
    if (present.isPresent()) {
      promise.complete(present.get());
      return promise.future();
    }
    Waiter<T> waiter = new Waiter<>(lookUp, promise);
    // The directory may have got it between the look-up above and this; the listener is told of all that is there.
    cache.addListener(waiter);
    long timer = vertx.setTimer(Math.max(1, timeoutMillis), id -> promise.tryFail(timeout(directory, what, timeoutMillis)));
    return promise.future().onComplete(done -> {
      vertx.cancelTimer(timer);
      cache.removeListener(waiter);
    });
  }

  private static TimeoutException timeout(EndpointDirectory directory, String what, long millis) {
    String nodes = directory.nodes().stream().map(node -> node.nodeId()).collect(Collectors.joining(", "));
    return new TimeoutException(what + " did not appear in the " + directory.type() + " directory within " + millis + " ms; nodes it knows: "
      + (nodes.isEmpty() ? "none" : nodes));
  }
}
