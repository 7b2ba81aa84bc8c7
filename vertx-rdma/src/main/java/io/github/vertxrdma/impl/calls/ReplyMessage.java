package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.internal.ContextInternal;

final class ReplyMessage<T> implements Message<T> {
  private final BusLink link;
  private final String service;
  private final int id;
  /** Message to decode; null after its body was decoded. */
  private Received received;
  private T body;
  private MultiMap headers;

  ReplyMessage(BusLink link, String service, Received received) {
    this.link = link;
    this.service = service;
    this.id = received.id();
    this.received = received;
    this.headers = received.headers();
  }

  @Override
  public String address() {
    return service;
  }

  @Override
  public synchronized MultiMap headers() {
    if (headers == null) {
      headers = MultiMap.caseInsensitiveMultiMap();
    }
    return headers;
  }

  @Override
  @SuppressWarnings("unchecked")
  public synchronized T body() {
    if (received != null) {
      body = (T) received.body();
      received = null;
    }
    return body;
  }

  @Override
  public String replyAddress() {
    return id == 0 ? null : "__rdma.reply." + Integer.toUnsignedString(id);
  }

  @Override
  public boolean isSend() {
    return true;
  }

  @Override
  public void reply(Object message, DeliveryOptions options) {
    if (id != 0) {
      ByteBuf answer = message instanceof ReplyException failure ? link.encode(id, failure)
        : BusWire.encode(BusWire.REPLY, id, 0, options.getHeaders(), message);
      if (!LoopCall.run(link.ownerLoop, () -> link.answer(answer))) {
        answer.release();
      }
    }
  }

  @Override
  public <R> Future<Message<R>> replyAndRequest(Object message, DeliveryOptions options) {
    if (id == 0) {
      throw new IllegalStateException("cannot reply to this message: its sender expects no reply");
    }
    int timeout = BusWire.timeout(options);
    ByteBuf answer = BusWire.encode(BusWire.REPLY, id, timeout, options.getHeaders(), message);
    ContextInternal context = link.context().owner().getOrCreateContext();
    return LoopCall.on(link.ownerLoop, context, promise -> link.request(answer, new CallerRequest<>(promise, service), timeout));
  }

  static final class CallerRequest<T> extends Outstanding {
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
      promise.tryFail(named(service, cause));
    }
  }
}
