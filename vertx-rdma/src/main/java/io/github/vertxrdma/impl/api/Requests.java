package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.api.RequestFrame.Type;
import io.github.vertxrdma.impl.calls.CallTable;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.github.vertxrdma.impl.link.Link;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/** Sends requests over a connection and receives those of the peer. Confined to the link's event loop. */
final class Requests {
  /** Maximum number of requests in one direction that wait for replies. Further ones fail. */
  static final int MOST = 1024;

  private final RdmaConnectionImpl connection;
  private final Link link;
  private final String disagreement;
  private CallTable<Waiting> waiting;
  private int unsent;
  private InboundRequests inbound;

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

  Requests(RdmaConnectionImpl connection, Link link) {
    this.connection = connection;
    this.link = link;
    this.disagreement = RequestFrame.disagreement(link.peer().data());
  }

  /** @param frame owned by this method, which sets its number */
  void send(ByteBuf frame, long timeoutMillis, Completable<Buffer> reply) {
    if (disagreement != null) {
      reply.fail(new RdmaException(Reason.UNSUPPORTED, "cannot send a request to " + link.name() + ": " + disagreement));
      return;
    }
    if (waiting == null) {
      waiting = new CallTable<>(link.loop().host, MOST, RequestFrame.NUMBER_BITS, millis -> new RdmaException(Reason.TIMEOUT,
        link.name() + ": no reply to a request within " + millis + " ms; whether it was executed is unknown"));
    }
    if (waiting.isFull() || unsent == MOST) {
      reply.fail(new RdmaException(Reason.LIMIT, "cannot send a request over the " + link.name() + ": "
        + MOST + (waiting.isFull() ? " requests have no reply yet. Wait for some of their replies" : " requests are not sent "
          + "yet, since the peer does not read them. Retry when it reads again")));
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

  void handler(Function<Buffer, Future<Buffer>> value) {
    inbound().handler(value);
  }

  /** @return the application's message in a MESSAGE frame, otherwise null */
  ByteBuf received(ByteBuf message) {
    ByteBuf frame = message;
    if (message instanceof RegisteredBuffer memory) {
      frame = HeapBuffer.copyOf(memory);
      memory.release();
    }
    Type type = RequestFrame.type(frame);
    if (type == null) {
      link.fail(new RdmaException(Reason.PROTOCOL, link.name() + ": the peer sent an invalid request frame; the connection was closed"));
    } else if (type == Type.MESSAGE) {
      return RequestFrame.body(frame);
    } else if (type == Type.REQUEST) {
      inbound().requested(RequestFrame.number(frame), RequestFrame.body(frame));
    } else {
      answered(type, RequestFrame.number(frame), RequestFrame.body(frame));
    }
    return null;
  }

  private void answered(Type type, long number, ByteBuf body) {
    Waiting request = waiting == null ? null : waiting.get(number);
    if (request == null || !waiting.remove(request)) {
      return;
    }
    if (type.reason == null) {
      link.requestLatencies().record(request.age());
      request.reply.succeed(BufferInternal.buffer(body));
    } else {
      request.reply.fail(
        new RdmaException(type.reason,
          link.name() + ": the peer answered a request with a failure: " + PeerText.of(body.toString(StandardCharsets.UTF_8))));
    }
  }

  void closed(Throwable cause) {
    if (waiting != null) {
      waiting.fail(request -> true, cause != null ? cause
        : new RdmaException(Reason.CLOSED, link.name() + " was closed before the reply to a request; whether it was executed is "
          + "unknown"));
    }
    if (inbound != null) {
      inbound.closed();
    }
  }

  private InboundRequests inbound() {
    return inbound == null ? inbound = new InboundRequests(connection, link) : inbound;
  }
}
