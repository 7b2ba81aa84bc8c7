package io.github.vertxrdma.impl.calls;

import io.vertx.core.Promise;
import io.vertx.core.eventbus.Message;

final class CallerRequest<T> extends Outstanding {
  private final Promise<Message<T>> promise;
  private final String service;

  CallerRequest(Promise<Message<T>> promise, String service) {
    this.promise = promise;
    this.service = service;
  }

  @Override
  void deliver(Received reply) {
    promise.tryComplete(new ReplyMessage<>(link, service, reply));
  }

  @Override
  void deliverFailure(Throwable cause) {
    promise.tryFail(cause);
  }
}
