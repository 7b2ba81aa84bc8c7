package io.github.vertxrdma.impl.endpoint;

import io.vertx.core.eventbus.Message;
import io.vertx.core.internal.PromiseInternal;

/** A request of somebody who holds a future. */
final class CallerRequest<T> extends Outstanding {
  private final PromiseInternal<Message<T>> promise;
  private final String endpoint;

  CallerRequest(PromiseInternal<Message<T>> promise, String endpoint) {
    this.promise = promise;
    this.endpoint = endpoint;
  }

  @Override
  void answered(BusLink from, Received reply) {
    promise.tryComplete(new ReplyMessage<>(from, endpoint, reply));
  }

  @Override
  void failed(Throwable cause) {
    promise.tryFail(cause);
  }
}
