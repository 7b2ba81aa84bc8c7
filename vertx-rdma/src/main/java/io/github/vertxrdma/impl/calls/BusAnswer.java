package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;

/** Sends the reply of a local consumer to the peer. If the peer replies to that reply, passes its reply to the consumer. Thread-safe. */
class BusAnswer implements Completable<Message<Object>> {
  final BusLink link;
  private final int id;

  BusAnswer(BusLink link, int id) {
    this.link = link;
    this.id = id;
  }

  @Override
  public final void complete(Message<Object> reply, Throwable cause) {
    if (link.ownerLoop.inEventLoop()) {
      replied(reply, cause);
    } else {
      // If the event loop has ended, the request has failed already.
      LoopCall.execute(link.ownerLoop, () -> replied(reply, cause));
    }
  }

  void replied(Message<Object> reply, Throwable cause) {
    if (cause != null) {
      failed(cause);
      return;
    }
    boolean wanted = reply.replyAddress() != null;
    // The event bus does not expose the timeout of the reply's sender, but enforces it.
    int timeout = wanted ? (int) DeliveryOptions.DEFAULT_TIMEOUT : 0;
    ByteBuf answer;
    try {
      answer = BusWire.encode(BusWire.REPLY, id, timeout, reply.headers(), reply.body());
    } catch (RuntimeException e) {
      failed(e);
      return;
    }
    if (wanted) {
      link.request(answer, new BusRequest(reply, null), timeout);
    } else {
      link.answer(answer);
    }
  }

  private void failed(Throwable cause) {
    link.answer(link.encode(id, asReply(cause)));
  }

  static ReplyException asReply(Throwable cause) {
    return cause instanceof ReplyException reply ? reply
      : new ReplyException(ReplyFailure.ERROR, cause.getMessage() == null ? cause.toString() : cause.getMessage());
  }

  /** Request from the local event bus to the peer. */
  static final class BusRequest extends Outstanding {
    private final Message<?> message;
    private final Promise<Void> done;

    /** @param done completes with the request; may be null */
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
      DeliveryOptions options = new DeliveryOptions().setCodecName(ReceivedCodec.NAME).setHeaders(reply.headers());
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
      message.reply(asReply(named(message.address(), cause)));
    }
  }
}
