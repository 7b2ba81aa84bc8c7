package io.github.vertxrdma.impl.calls;

import io.vertx.core.Promise;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;

/** Request from the local event bus to the peer. */
final class BusRequest extends Outstanding {
  private final Message<?> message;
  private final Promise<Void> done;

  BusRequest(Message<?> message) {
    this(message, null);
  }

  BusRequest(Message<?> message, Promise<Void> done) {
    this.message = message;
    this.done = done;
  }

  @Override
  void deliver(Received reply) {
    // Decodes the body first, so that an invalid one fails before the bus waits for a reply.
    Object body = reply.body();
    if (done != null) {
      done.complete();
    }
    DeliveryOptions options = new DeliveryOptions().setCodecName(ReceivedCodec.ONE).setHeaders(reply.headers());
    if (reply.id() == 0) {
      message.reply(body, options);
    } else {
      message.replyAndRequest(body, options.setSendTimeout(Math.max(1, reply.timeout()))).onComplete(new BusAnswer(link, reply.id()));
    }
  }

  @Override
  void deliverFailure(Throwable cause) {
    if (done != null) {
      done.tryFail(cause);
    }
    message.reply(BusAnswer.asReply(cause));
  }
}
