package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.impl.api.RequestFrame.Type;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.function.Function;

/**
 * Requests of the peer until they are answered. Requests before the first handler wait for it. Confined to the link's loop, except handler
 * calls.
 */
final class InboundRequests {
  /** Unanswered requests. A peer that does not read replies misses later ones. */
  private static final int MOST_ANSWERS = 2 * OutboundRequests.MOST;
  /** Bytes of queued replies, at least {@code maxMessageSize}; one reply may exceed it. */
  private static final int MOST_BYTES = 64 << 20;

  private final RdmaConnectionImpl connection;
  private final Link link;
  private volatile Function<Buffer, Future<Buffer>> handler;
  private ArrayDeque<Request> early = new ArrayDeque<>(0);
  private int unanswered;
  private long unansweredBytes;
  private long unsentBytes;

  private record Request(long number, ByteBuf body, int size) {
  }

  InboundRequests(RdmaConnectionImpl connection, Link link) {
    this.connection = connection;
    this.link = link;
  }

  void handler(Function<Buffer, Future<Buffer>> value) {
    handler = value;
    ArrayDeque<Request> waited = early;
    if (value != null && waited != null) {
      early = null;
      waited.forEach(this::ask);
    }
  }

  void requested(long number, ByteBuf body) {
    if (unanswered == MOST_ANSWERS) {
      return;
    }
    Request request = new Request(number, body, body.readableBytes());
    unanswered++;
    unansweredBytes += request.size;
    int most = link.loop().options.maxMessageSize();
    if (unanswered > OutboundRequests.MOST || unansweredBytes > most && unanswered > 1) {
      answer(request, Type.LIMIT,
        words("more than " + OutboundRequests.MOST + " requests, or " + most + " bytes of them, have no reply yet"));
    } else if (early != null) {
      early.add(request);
    } else {
      ask(request);
    }
  }

  private void ask(Request request) {
    boolean accepted = LoopCall.emit(connection.context(), request, asked -> {
      Function<Buffer, Future<Buffer>> current = handler;
      if (current == null) {
        connection.onLoop(() -> answer(asked, Type.UNHANDLED, words("no request handler is set any more")));
        return;
      }
      Future<Buffer> reply;
      try {
        reply = current.apply(BufferInternal.buffer(asked.body));
      } catch (Throwable failure) {
        reply = Future.failedFuture(failure);
      }
      if (reply == null) {
        reply = Future.failedFuture("the handler returned null in place of a future");
      }
      reply.onComplete((body, cause) -> connection.onLoop(() -> {
        if (cause != null) {
          answer(asked, Type.FAILED, words(cause.getMessage() == null ? cause.toString() : cause.getMessage()));
        } else {
          answer(asked, Type.REPLY, body == null ? Unpooled.EMPTY_BUFFER : ((BufferInternal) body).getByteBuf());
        }
      }));
    });
    if (!accepted) {
      answer(request, Type.UNHANDLED, words("the context of the request handler has ended"));
    }
  }

  private static ByteBuf words(String words) {
    return Unpooled.copiedBuffer(words, StandardCharsets.UTF_8);
  }

  private void answer(Request request, Type type, ByteBuf body) {
    ByteBuf frame = frame(type, request.number, body);
    int size = frame.readableBytes();
    unsentBytes += size;
    // A waiting reply does not retain the request, which may be large.
    int asked = request.size;
    link.send(frame, (v, cause) -> {
      unsentBytes -= size;
      unanswered--;
      unansweredBytes -= asked;
    });
  }

  private ByteBuf frame(Type type, long number, ByteBuf body) {
    int size = RequestFrame.HEADER + body.readableBytes();
    int largest = link.maxMessageSize();
    if (size > largest) {
      return RequestFrame.of(Type.TOO_LARGE, number, words("a reply of " + size + " bytes; at most " + largest
        + " bytes, see maxMessageSize of both ends"));
    }
    if (unsentBytes > Math.max(MOST_BYTES, largest)) {
      return RequestFrame.of(Type.LIMIT, number, words("the request was handled and its reply is lost: " + unsentBytes
        + " bytes of replies wait for the requester to take them; read on, and ask for less at once"));
    }
    return RequestFrame.of(type, number, body);
  }

  void closed() {
    early = null;
  }
}
