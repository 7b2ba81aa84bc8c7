package io.github.vertxrdma.impl.bus;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.util.ArrayDeque;
import java.util.List;

/** Messages that wait for a connection, in order. Confined to its owner's event loop. */
final class WaitingMessages {
  private final OutstandingTable table;
  private final ArrayDeque<Waiting> queue = new ArrayDeque<>();

  /** Message with either a request of the table or the handler of a send. */
  private record Waiting(ByteBuf message, Outstanding request, Completable<Void> done) {
  }

  WaitingMessages(OutstandingTable table) {
    this.table = table;
  }

  int size() {
    return queue.size();
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  void add(ByteBuf message, Outstanding request) {
    queue.add(new Waiting(message, request, null));
  }

  void add(ByteBuf message, Completable<Void> done) {
    queue.add(new Waiting(message, null, done));
  }

  /** Sends all, including later ones, while the connection is usable. */
  void sendOver(BusLink link) {
    for (Waiting next; link.isUsable() && (next = queue.poll()) != null;) {
      if (next.request == null) {
        link.send(next.message, next.done);
      } else if (table.contains(next.request)) {
        link.sendRequest(next.message, next.request);
      } else {
        // The request timed out.
        next.message.release();
      }
    }
  }

  /** Fails all messages except those that are added meanwhile. */
  void fail(Throwable cause) {
    List<Waiting> failed = List.copyOf(queue);
    queue.clear();
    failed.forEach(each -> each.message.release());
    for (Waiting each : failed) {
      if (each.done != null) {
        each.done.fail(cause);
      }
    }
    table.fail(null, cause);
  }
}
