package io.github.vertxrdma.impl.bus;

import io.vertx.core.Promise;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;

/** Message of the local bus whose reply comes from the peer. */
final class BusRequest extends Outstanding {
  private final Message<?> message;
  private final Promise<Void> over;

  BusRequest(Message<?> message) {
    this(message, null);
  }

  /** @param over completed at the end; may be null */
  BusRequest(Message<?> message, Promise<Void> over) {
    this.message = message;
    this.over = over;
  }

  @Override
  void tellAnswer(BusLink from, Received reply) {
    // Decoded first, so that an invalid body fails before the bus waits for a reply.
    Object body = reply.body();
    if (over != null) {
      over.complete();
    }
    DeliveryOptions options = new DeliveryOptions().setCodecName(ReceivedCodec.ONE).setHeaders(reply.headers());
    if (reply.id() == 0) {
      message.reply(body, options);
    } else {
      message.replyAndRequest(body, options.setSendTimeout(Math.max(1, reply.timeout()))).onComplete(new BusAnswer(from, reply.id()));
    }
  }

  @Override
  void tellFailure(Throwable cause) {
    if (over != null) {
      over.tryFail(cause);
    }
    message.reply(BusAnswer.asReply(cause));
  }
}
