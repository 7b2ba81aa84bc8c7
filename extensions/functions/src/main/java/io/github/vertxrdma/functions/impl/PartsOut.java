package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;

/** Parts of a result on their way to the caller: as many bytes as it takes ahead. On the worker's event loop. */
final class PartsOut {
  private final Execution execution;
  private final ArrayDeque<Promise<Void>> waiting = new ArrayDeque<>();
  private long window;
  private long sent;
  private Throwable over;

  PartsOut(Execution execution, int window) {
    this.execution = execution;
    this.window = window;
  }

  long sent() {
    return sent;
  }

  Future<Void> write(Buffer part) {
    if (over != null) {
      return Future.failedFuture(over);
    }
    int most = execution.session.connection().maxMessageSize() - Wire.PART_HEADER;
    if (part.length() > most) {
      return Future.failedFuture(new FunctionException(Reason.RESULT_TOO_LARGE, "a part of " + part.length() + " bytes: at most " + most
        + " go to this caller, see maxMessageSize of both nodes"));
    }
    sent++;
    window -= part.length();
    execution.session.send(Wire.part(execution.id, part));
    if (window > 0) {
      return Future.succeededFuture();
    }
    Promise<Void> room = Promise.promise();
    waiting.add(room);
    return room.future();
  }

  /** The caller has read so many bytes. */
  void read(long bytes) {
    window += Math.max(0, bytes);
    while (window > 0 && !waiting.isEmpty()) {
      waiting.poll().complete();
    }
  }

  void end(Throwable why) {
    over = why;
    while (!waiting.isEmpty()) {
      waiting.poll().fail(why);
    }
  }
}
