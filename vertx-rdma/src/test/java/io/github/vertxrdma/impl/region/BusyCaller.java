package io.github.vertxrdma.impl.region;

import io.vertx.core.Handler;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Queue;

final class BusyCaller implements Caller {
  final Queue<Runnable> tasks = new ArrayDeque<>();

  @Override
  public <T> Promise<T> promise() {
    return Promise.promise();
  }

  @Override
  public <T> void emit(T event, Handler<T> handler) {
    tasks.add(() -> handler.handle(event));
  }
}
