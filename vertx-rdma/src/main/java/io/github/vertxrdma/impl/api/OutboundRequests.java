package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.api.RequestFrame.Type;
import io.github.vertxrdma.impl.calls.CallTable;
import io.github.vertxrdma.impl.link.Link;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.nio.charset.StandardCharsets;

/** Requests that wait for replies. Confined to the link's loop. */
final class OutboundRequests {
  static final int MOST = 1024;

  private final Link link;
  private final CallTable<Waiting> waiting;
  private int unsent;

  private static final class Waiting extends CallTable.PendingCall {
    final Completable<Buffer> reply;

    Waiting(Completable<Buffer> reply) {
      this.reply = reply;
    }

    @Override
    protected void failed(Throwable cause) {
      reply.fail(cause);
    }
  }

  OutboundRequests(Link link) {
    this.link = link;
    this.waiting = new CallTable<>(link.loop().host, MOST, RequestFrame.NUMBER_BITS, millis -> new RdmaException(Reason.TIMEOUT,
      link.name() + ": no reply to a request within " + millis + " ms; whether it was executed is unknown"));
  }

  /** @param frame without its number; owned by this method */
  void send(ByteBuf frame, long timeoutMillis, Completable<Buffer> reply) {
    if (waiting.isFull() || unsent == MOST) {
      reply.fail(new RdmaException(Reason.LIMIT, "a request to " + link.name() + " was refused: " + MOST + (waiting.isFull()
        ? " wait for their replies; wait for some of them" : " wait for the peer to take them; ask again when it reads")));
      return;
    }
    Waiting request = new Waiting(reply);
    RequestFrame.number(frame, waiting.add(request, timeoutMillis));
    unsent++;
    link.send(frame, (v, cause) -> {
      unsent--;
      if (cause != null && waiting.remove(request)) {
        reply.fail(cause);
      }
    });
  }

  void answered(Type type, long number, ByteBuf body) {
    Waiting request = waiting.get(number);
    if (request == null || !waiting.remove(request)) {
      return;
    }
    if (type.reason == null) {
      link.requestLatencies().record(request.age());
      request.reply.succeed(BufferInternal.buffer(body));
    } else {
      request.reply.fail(
        new RdmaException(type.reason,
          "a request to " + link.name() + " failed there: " + PeerText.of(body.toString(StandardCharsets.UTF_8))));
    }
  }

  void closed(Throwable cause) {
    waiting.fail(request -> true, cause != null ? cause
      : new RdmaException(Reason.CLOSED, link.name() + " was closed before the reply to a request; whether it was executed is unknown"));
  }
}
