package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;

/** Sends parts of a result. Limits the bytes that wait on this node, whatever window the client announces. */
final class PartsOut {
  private final Execution execution;
  private final ArrayDeque<Promise<Void>> waiting = new ArrayDeque<>();
  private long window;
  private long sent;
  private long unsentBytes;
  private Throwable endCause;
  private IllegalStateException dropped;

  PartsOut(Execution execution, int window) {
    this.execution = execution;
    this.window = window;
  }

  long sent() {
    return sent;
  }

  Throwable dropped() {
    return dropped;
  }

  Future<Void> write(Buffer part) {
    if (endCause != null) {
      return Future.failedFuture(endCause);
    }
    int most = execution.session.connection.maxMessageSize() - Wire.PART_HEADER;
    if (part.length() > most) {
      return Future.failedFuture(new FunctionException(Reason.RESULT_TOO_LARGE,
        "a part of " + part.length() + " bytes is too large: this caller accepts at most " + most
          + " bytes, by maxMessageSize of both nodes"));
    }
    if (!hasRoom()) {
      dropped = new IllegalStateException(
        "cannot send a part of " + part.length() + " bytes: the previous write has not completed. Wait for the future of each write");
      return Future.failedFuture(dropped);
    }
    sent++;
    int bytes = part.length();
    window -= bytes;
    unsentBytes += bytes;
    execution.session.send(Wire.part(execution.id, part)).onComplete(taken -> {
      unsentBytes -= bytes;
      completeWrites();
    });
    if (hasRoom()) {
      return Future.succeededFuture();
    }
    Promise<Void> completed = Promise.promise();
    waiting.add(completed);
    return completed.future();
  }

  void read(long bytes) {
    window += Math.max(0, bytes);
    completeWrites();
  }

  private boolean hasRoom() {
    return window > 0 && unsentBytes < ResultStreamImpl.WINDOW;
  }

  private void completeWrites() {
    while (hasRoom() && !waiting.isEmpty()) {
      waiting.poll().complete();
    }
  }

  void end(Throwable why) {
    endCause = why;
    while (!waiting.isEmpty()) {
      waiting.poll().fail(why);
    }
  }
}
