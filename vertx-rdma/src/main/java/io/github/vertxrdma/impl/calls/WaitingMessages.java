package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.base.CallTable;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.util.ArrayDeque;
import java.util.List;

/** Messages that wait for a connection, in order. Confined to the owner's event loop. */
final class WaitingMessages {
  private static final Attempts.Limits ATTEMPTS = Attempts.Limits.of(3);

  private final CallTable<Outstanding> table;
  private final Runnable added;
  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();

  private record Waiting(ByteBuf message, Completable<Void> done) {
  }

  WaitingMessages(CallTable<Outstanding> table, Runnable added) {
    this.table = table;
    this.added = added;
  }

  int size() {
    return queue.size();
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** @param done an {@link Outstanding} for a request */
  void add(ByteBuf message, Completable<Void> done) {
    queue.add(new Waiting(message, done));
    added.run();
  }

  /** Queues a request again. @return false if no attempt is left */
  boolean again(Outstanding request) {
    if (request.attempts == null) {
      request.attempts = new Attempts(ATTEMPTS);
    }
    if (request.attempts.next(true, 0) < 0) {
      return false;
    }
    ByteBuf message = request.message;
    request.message = null;
    request.link = null;
    add(message, request);
    return true;
  }

  /** Sends messages while the connection is usable, even those added meanwhile. */
  void sendOver(BusLink link) {
    for (Waiting next; link.isUsable() && (next = queue.poll()) != null;) {
      if (!(next.done instanceof Outstanding request)) {
        link.send(next.message, next.done);
      } else if (request.isSet()) {
        link.sendRequest(next.message, request);
      } else {
        next.message.release();
      }
    }
  }

  /** Fails the waiting messages, except those that handlers add meanwhile. */
  void fail(Throwable cause) {
    List<Waiting> failed = List.copyOf(queue);
    queue.clear();
    failed.forEach(each -> each.message.release());
    for (Waiting each : failed) {
      if (!(each.done instanceof Outstanding)) {
        each.done.fail(cause);
      }
    }
    table.fail(request -> request.link == null, cause);
  }
}
