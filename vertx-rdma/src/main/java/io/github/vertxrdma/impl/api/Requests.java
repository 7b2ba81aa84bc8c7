package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.CallTable;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.api.RequestFrame.Type;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * Sends requests over a connection, and receives those of the peer, which wait until a handler is set. Confined to the link's event loop.
 * The handler runs on the connection's context.
 */
final class Requests {
  /** Maximum number of requests in one direction that wait for replies. Further ones fail. */
  private static final int MOST = 1024;
  /** Maximum number of unanswered requests, including refused ones. Further ones are dropped, since such a peer reads no replies. */
  private static final int MOST_ANSWERS = 2 * MOST;
  /** Maximum bytes of replies that wait to be sent, or {@code maxMessageSize} if larger. Further replies are replaced by a failure. */
  private static final int MOST_BYTES = 64 << 20;

  private final RdmaConnectionImpl connection;
  private final Link link;
  private final String disagreement;
  private CallTable<Waiting> waiting;
  private int unsent;
  private volatile Function<Buffer, Future<Buffer>> handler;
  /** Requests of the peer that wait for the first handler. Null after that. */
  private ArrayDeque<Request> early = new ArrayDeque<>(0);
  private int unanswered;
  private long unansweredBytes;
  private long unsentBytes;
  /** Runs when the begun requests are answered. Null until the connection is shut down; then no more requests are executed. */
  private List<Runnable> whenAnswered;

  private record Request(long number, ByteBuf body, int size) {
  }

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
      waiting = new CallTable<>(link.loop().host::deadlines, link.loop().host::nanoTime, MOST, RequestFrame.NUMBER_BITS,
        millis -> new RdmaException(Reason.TIMEOUT,
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
    handler = value;
    ArrayDeque<Request> waited = early;
    if (value != null && waited != null) {
      early = null;
      waited.forEach(this::ask);
    }
  }

  /**
   * Executes no more requests, and waits for the replies to those that have begun.
   *
   * @param then called with the milliseconds left, when the replies are sent or after the time
   */
  void shutdown(long millis, LongConsumer then) {
    if (whenAnswered == null) {
      whenAnswered = new ArrayList<>(1);
      if (early != null) {
        early.forEach(this::refuse);
        early = null;
      }
    }
    if (unanswered == 0) {
      then.accept(millis);
      return;
    }
    LoopHost host = link.loop().host;
    long end = host.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    boolean[] called = {false};
    Runnable once = () -> {
      if (!called[0]) {
        called[0] = true;
        then.accept(Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - host.nanoTime())));
      }
    };
    // Leaves time for an orderly close.
    Deadline limit = host.schedule(once, millis - millis / 4, TimeUnit.MILLISECONDS);
    // Runs in a task, since the last reply may be in the middle of its write.
    whenAnswered.add(() -> host.execute(() -> {
      limit.cancel();
      once.run();
    }));
  }

  private void refuse(Request request) {
    answer(request, Type.UNHANDLED,
      words("the peer is closing the connection and has not executed the request. Send it over another connection"));
  }

  private void runWaiting() {
    if (whenAnswered != null) {
      List<Runnable> waited = List.copyOf(whenAnswered);
      whenAnswered.clear();
      waited.forEach(Runnable::run);
    }
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
      requested(RequestFrame.number(frame), RequestFrame.body(frame));
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
    early = null;
    runWaiting();
  }

  private void requested(long number, ByteBuf body) {
    if (unanswered == MOST_ANSWERS) {
      return;
    }
    Request request = new Request(number, body, body.readableBytes());
    unanswered++;
    unansweredBytes += request.size;
    int most = link.loop().options.maxMessageSize();
    if (unanswered > MOST || unansweredBytes > most && unanswered > 1) {
      answer(request, Type.LIMIT,
        words("too many requests wait for their replies: at most " + MOST + " requests and " + most + " bytes may wait. "
          + "Retry when replies have arrived"));
    } else if (whenAnswered != null) {
      refuse(request);
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
      if (unanswered == 0) {
        runWaiting();
      }
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
}
