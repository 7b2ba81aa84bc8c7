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
 * Unanswered requests of the peer, which wait until a handler is set. Confined to the link's event loop; the handler runs on the
 * connection's context.
 */
final class InboundRequests {
  /** Maximum number of unanswered requests, including refused ones. Further ones are dropped, since such a peer reads no replies. */
  private static final int MOST_ANSWERS = 2 * Requests.MOST;
  /** Maximum bytes of replies that wait to be sent, or {@code maxMessageSize} if larger. Further replies are replaced by a failure. */
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
    if (unanswered > Requests.MOST || unansweredBytes > most && unanswered > 1) {
      answer(request, Type.LIMIT,
        words("too many requests wait for their replies: at most " + Requests.MOST + " requests and " + most + " bytes may wait. "
          + "Retry when replies have arrived"));
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
        connection.onLoop(() -> answer(asked, Type.UNHANDLED, words("the peer has removed its request handler")));
        return;
      }
      Future<Buffer> reply;
      try {
        reply = current.apply(BufferInternal.buffer(asked.body));
      } catch (Throwable failure) {
        reply = Future.failedFuture(failure);
      }
      if (reply == null) {
        reply = Future.failedFuture("the request handler returned null instead of a future");
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
      answer(request, Type.UNHANDLED, words("the request handler cannot be called: the event loop of its context has ended"));
    }
  }

  private static ByteBuf words(String words) {
    return Unpooled.copiedBuffer(words, StandardCharsets.UTF_8);
  }

  private void answer(Request request, Type type, ByteBuf body) {
    ByteBuf frame = frame(type, request.number, body);
    int size = frame.readableBytes();
    unsentBytes += size;
    // The callback keeps this size, and not the request, whose body may be large.
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
      return RequestFrame.of(Type.TOO_LARGE, number, words("the reply of " + size + " bytes is too large: at most "
        + largest + " bytes are allowed. Raise maxMessageSize at both ends"));
    }
    if (unsentBytes > Math.max(MOST_BYTES, largest)) {
      return RequestFrame.of(Type.LIMIT, number, words("the request was handled, but its reply was dropped: "
        + unsentBytes + " bytes of replies already wait for the requester. Keep reading, and have fewer requests in flight"));
    }
    return RequestFrame.of(type, number, body);
  }

  void closed() {
    early = null;
  }
}
