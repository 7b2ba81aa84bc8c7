package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.impl.connection.RequestFrame.Type;
import io.github.vertxrdma.impl.link.Link;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.function.Function;

/**
 * Requests of the peer until they are answered. As with messages, those that come before the first handler wait for it. What the peer can
 * make this side hold is bounded in number and bytes: beyond that it is told so. Confined to the link's loop, but for the handler's calls.
 */
final class InboundRequests {
  /** Answers that may wait for the peer to take them; who takes none misses them in time. */
  private static final int MOST_ANSWERS = 2 * OutboundRequests.MOST;
  /** Bytes of them, or {@code maxMessageSize} if that is more; one reply may exceed it. */
  private static final int MOST_BYTES = 64 << 20;

  private final RdmaConnectionImpl connection;
  private final Link link;
  /** Null before the first handler is there, and once there is none any more. */
  private volatile Function<Buffer, Future<Buffer>> handler;
  /** Requests that wait for the first handler; null once there was one. */
  private ArrayDeque<Request> early = new ArrayDeque<>(0);
  private int unanswered;
  private long unansweredBytes;
  /** Bytes of answers that wait for the peer to take them. */
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
    connection.context().emit(request, asked -> {
      Function<Buffer, Future<Buffer>> current = handler;
      if (current == null) {
        connection.onLoop(l -> answer(asked, Type.UNHANDLED, words("nobody handles requests any more")));
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
      reply.onComplete((body, cause) -> connection.onLoop(l -> {
        if (cause != null) {
          answer(asked, Type.FAILED, words(cause.getMessage() == null ? cause.toString() : cause.getMessage()));
        } else {
          answer(asked, Type.REPLY, body == null ? Unpooled.EMPTY_BUFFER : ((BufferInternal) body).getByteBuf());
        }
      }));
    });
  }

  private static ByteBuf words(String words) {
    return Unpooled.copiedBuffer(words, StandardCharsets.UTF_8);
  }

  /** On the loop. The request counts until its answer is handed to the fabric: a peer that takes none gets no more of them. */
  private void answer(Request request, Type type, ByteBuf body) {
    ByteBuf frame = frame(type, request.number, body);
    int size = frame.readableBytes();
    unsentBytes += size;
    // An answer that waits keeps its request's size, not the request: that is as large as a message may be.
    int asked = request.size;
    link.send(frame, (v, cause) -> {
      unsentBytes -= size;
      unanswered--;
      unansweredBytes -= asked;
    });
  }

  /** An answer, or the word of why there is none. */
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

  /** The link is over. */
  void closed() {
    early = null;
  }
}
