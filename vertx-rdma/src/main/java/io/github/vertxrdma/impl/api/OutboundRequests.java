package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.api.RequestFrame.Type;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.poll.Scheduler;
import io.netty.buffer.ByteBuf;
import io.netty.util.collection.LongObjectHashMap;
import io.vertx.core.Completable;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Requests that wait for replies. Confined to the link's loop. */
final class OutboundRequests {
  static final int MOST = 1024;

  private final Link link;
  private final LongObjectHashMap<Waiting> waiting = new LongObjectHashMap<>();
  private long last;
  /** Requests that are not posted, including timed-out ones. */
  private int unsent;

  private final class Waiting extends Deadline {
    final long number;
    final long timeoutMillis;
    final long since;
    final Completable<Buffer> reply;

    Waiting(long number, long timeoutMillis, long since, Completable<Buffer> reply) {
      this.number = number;
      this.timeoutMillis = timeoutMillis;
      this.since = since;
      this.reply = reply;
    }

    @Override
    protected void expired() {
      fail(number, new RdmaException(Reason.TIMEOUT, link.name() + ": no reply to a request within " + timeoutMillis
        + " ms; whether it was executed is unknown"));
    }
  }

  OutboundRequests(Link link) {
    this.link = link;
  }

  /** @param frame without its number; owned by this method */
  void send(ByteBuf frame, long timeoutMillis, Completable<Buffer> reply) {
    if (waiting.size() == MOST || unsent == MOST) {
      reply.fail(new RdmaException(Reason.LIMIT, "a request to " + link.name() + " was refused: " + MOST + (waiting.size() == MOST
        ? " wait for their replies; wait for some of them" : " wait for the peer to take them; ask again when it reads")));
      return;
    }
    long number = ++last;
    RequestFrame.number(frame, number);
    Scheduler scheduler = link.loop().host;
    Waiting request = new Waiting(number, timeoutMillis, scheduler.nanoTime(), reply);
    waiting.put(number, request);
    scheduler.deadlines().set(request, timeoutMillis, TimeUnit.MILLISECONDS);
    unsent++;
    link.send(frame, (v, cause) -> {
      unsent--;
      if (cause != null) {
        fail(number, cause);
      }
    });
  }

  void answered(Type type, long number, ByteBuf body) {
    if (type.reason != null) {
      fail(number,
        new RdmaException(type.reason, "a request to " + link.name() + " failed there: " + body.toString(StandardCharsets.UTF_8)));
      return;
    }
    Waiting request = take(number);
    if (request != null) {
      link.requestLatencies().record(link.loop().host.nanoTime() - request.since);
      request.reply.succeed(BufferInternal.buffer(body));
    }
  }

  private void fail(long number, Throwable cause) {
    Waiting request = take(number);
    if (request != null) {
      request.reply.fail(cause);
    }
  }

  private Waiting take(long number) {
    Waiting request = waiting.remove(number);
    if (request != null) {
      request.cancel();
    }
    return request;
  }

  /** @param cause null after an orderly close */
  void closed(Throwable cause) {
    Throwable why = cause != null ? cause
      : new RdmaException(Reason.CLOSED, link.name() + " was closed before the reply to a request; whether it was executed is unknown");
    List<Waiting> left = new ArrayList<>(waiting.values());
    waiting.clear();
    for (Waiting request : left) {
      request.cancel();
      request.reply.fail(why);
    }
  }
}
