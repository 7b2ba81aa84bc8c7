package io.github.vertxrdma.impl.endpoint;

import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;

/** A message of the local bus whose answer comes from the peer. */
final class BusRequest extends Outstanding {
  private final Message<?> message;

  BusRequest(Message<?> message) {
    this.message = message;
  }

  @Override
  void answered(BusLink from, Received reply) {
    DeliveryOptions options = new DeliveryOptions().setCodecName(ReceivedCodec.ONE).setHeaders(reply.headers());
    if (reply.id() == 0) {
      message.reply(reply, options);
    } else {
      message.replyAndRequest(reply, options.setSendTimeout(Math.max(1, reply.timeout()))).onComplete(new BusAnswer(from, reply.id()));
    }
  }

  @Override
  void failed(Throwable cause) {
    message.reply(BusAnswer.asReply(cause));
  }
}
