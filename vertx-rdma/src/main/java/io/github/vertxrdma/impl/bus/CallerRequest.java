package io.github.vertxrdma.impl.bus;

import io.vertx.core.eventbus.Message;
import io.vertx.core.internal.PromiseInternal;

/** Request whose caller has a future. */
final class CallerRequest<T> extends Outstanding {
  private final PromiseInternal<Message<T>> promise;
  private final String service;

  CallerRequest(PromiseInternal<Message<T>> promise, String service) {
    this.promise = promise;
    this.service = service;
  }

  @Override
  void deliver(BusLink from, Received reply) {
    promise.tryComplete(new ReplyMessage<>(from, service, reply));
  }

  @Override
  void deliverFailure(Throwable cause) {
    promise.tryFail(cause);
  }
}
