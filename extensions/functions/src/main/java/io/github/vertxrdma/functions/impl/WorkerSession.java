package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.Set;

/** Connection of a worker with the client that holds its lease. Answers each call once. */
final class WorkerSession {
  static final long CLOSE_MILLIS = 2_000;
  /** Part of this time to wait until the client has received the end, so that its later calls are refused and not lost. */
  private static final long NOTICE_MILLIS = 500;
  /** Maximum number of answers that the client has not received. More end the session. A correct client has one for each slot. */
  private static final int MAX_PENDING_ANSWERS = 256;
  /** Maximum unreceived bytes of results and parts, as a multiple of the lease's memory plus a window for each slot. */
  private static final int MAX_PENDING_MEMORY = 4;
  /** Minimum bytes of a result that {@link #pendingBytes} counts. Smaller ones reach {@link #MAX_PENDING_ANSWERS} first. */
  private static final int LARGE = 4 << 10;

  private final Worker worker;
  final RdmaConnection connection;
  private final Execution[] running = new Execution[Wire.MAX_SLOTS];
  private final Handler<AsyncResult<Void>> written = this::written;
  GrantedLease lease;
  private AbandonedCalls abandoned;
  /** Null unless the lease is hot. */
  private HotMode hot;
  /** Input region, which may not exist yet when the session closes. */
  private Future<MemoryRegion> sharing = Future.succeededFuture();
  private MemoryRegion input;
  private RemoteRegion results;
  /** Last call number of messages, and of writes, which are not ordered with each other. */
  private final long[] lastSequence = new long[2];
  /** Last call number of each slot. */
  private final long[] lastInSlot = new long[Wire.MAX_SLOTS];
  /** For each slot, the last invocation that was cancelled before it arrived. */
  private final long[] cancelled = new long[Wire.MAX_SLOTS];
  /** Bytes of running calls, with headers; at most the lease's memory. */
  private long bytesUnderWay;
  private int pendingAnswers;
  /** Bytes of parts and of results from {@link #LARGE} on that the client has not received. */
  private long pendingBytes;
  private Future<Void> closing;
  /** Completes when the client sends no more calls. */
  private final Promise<Void> noticed = Promise.promise();

  WorkerSession(Worker worker, RdmaConnection connection) {
    this.worker = worker;
    this.connection = connection;
    connection.grantHandler(granted -> results = granted);
    connection.closeHandler(v -> {
      noticed.tryComplete();
      close();
    }).endHandler(v -> noticed.tryComplete());
    connection.handler(this::message);
  }

  String client() {
    return connection.remoteNodeId();
  }

  void execute(Runnable task) {
    // A traced call has a duplicated context on the same event loop.
    ContextInternal current = ContextInternal.current();
    if (current != null && current.unwrap() == worker.context() && current.inThread()) {
      task.run();
    } else {
      worker.context().runOnContext(v -> task.run());
    }
  }

  Future<Void> send(Buffer message) {
    if (closing != null) {
      return Future.failedFuture("the connection is closed");
    }
    // Counts a part as at most one window, the unit of the limit.
    int bytes = Math.min(message.length(), ResultStreamImpl.WINDOW);
    pendingBytes += bytes;
    return connection.write(message).onComplete(taken -> pendingBytes -= bytes);
  }

  void emit(Handler<Void> handler) {
    worker.context().runOnContext(handler);
  }

  private void message(Buffer message) {
    if (closing != null) {
      if (message.length() > 0 && message.getByte(0) == Wire.CALL) {
        late(message, 1);
      }
      return;
    }
    if (input != null && message.length() > 0 && message.getByte(0) == Wire.CALL) {
      arrived(message, 1, 0);
      return;
    }
    CallerMessage received;
    try {
      received = CallerMessage.read(message);
    } catch (IllegalArgumentException e) {
      violated(e.getMessage());
      return;
    }
    switch (received) {
      case CallerMessage.Hello hello -> hello(hello);
      case CallerMessage.Cancel cancel -> cancel(cancel.id());
      case CallerMessage.Read read -> {
        Execution execution = running[Wire.slot(read.id())];
        if (execution != null && execution.id == read.id() && execution.parts != null) {
          execution.parts.read(read.bytes());
        }
      }
    }
  }

  private void hello(CallerMessage.Hello hello) {
    if (lease != null) {
      violated("a second hello");
      return;
    }
    GrantedLease granted = worker.admits(hello);
    if (granted == null) {
      worker.countRefused(hello);
      end(Reason.LEASE_ENDED, Worker.unknownLease(hello.lease()));
      return;
    }
    lease = granted;
    abandoned = worker.abandoned;
    worker.opened(this);
    if (lease.request.mode() == WorkerMode.HOT) {
      hot = new HotMode(worker.context().owner(), this, worker.hotIdleMillis);
    }
    // Waits until earlier sessions are closed, so that a client that reconnects has one input region.
    worker.sessionsClosed().onComplete(v -> share());
  }

  private void share() {
    if (closing != null) {
      return;
    }
    sharing = worker.rdma
      .createRegion(
        new RegionOptions().setSize(lease.request.memory()).setAccess(RegionAccess.WRITE).addFabric(connection.fabric().device()))
      .onFailure(cause -> end(Reason.WORKER_LOST, "worker " + worker.name() + " has no input region: " + Wire.words(cause)))
      .onSuccess(this::shared);
  }

  private void shared(MemoryRegion region) {
    if (closing != null) {
      return;
    }
    input = region;
    region.notificationHandler(this::arrived);
    connection.grant(region, Set.of(RegionAccess.WRITE), null)
      .onFailure(cause -> end(Reason.WORKER_LOST, "worker " + worker.name() + " could not grant its input region: " + Wire.words(cause)));
  }

  private void cancel(long id) {
    int slot = Wire.slot(id);
    Execution execution = running[slot];
    if (execution != null && execution.id == id) {
      abandon(execution);
      answer(execution, Reason.CANCELLED, "cancelled");
    } else {
      // The answer is in flight, or the cancellation has overtaken a large write.
      cancelled[slot] = id;
    }
  }

  private void abandon(Execution execution) {
    if (worker.cancel(execution)) {
      abandoned.add(execution);
    }
  }

  /** Copies a call before it is read, because the client could overwrite it. */
  private void arrived(RegionNotification written) {
    Buffer frame = Wire.copy(input.segment(), written.offset(), (int) written.length());
    if (closing == null) {
      arrived(frame, 0, 1);
    } else {
      late(frame, 0);
    }
  }

  /** Refuses calls that arrive after the end of the lease, so that the client can repeat them. */
  private void late(Buffer frame, int from) {
    try {
      for (int at = from; at < frame.length() && pendingAnswers <= MAX_PENDING_ANSWERS;) {
        CallHeader call = CallHeader.read(frame, at);
        at = call.end();
        refuseUnbegun(call.id());
      }
    } catch (IllegalArgumentException e) {
      worker.refusals.increment();
    }
  }

  /** @param kind 0 for a message, 1 for a write */
  private void arrived(Buffer frame, int from, int kind) {
    if (hot != null) {
      hot.called();
    }
    Execution first = null;
    Execution last = null;
    try {
      int at = from;
      do {
        CallHeader call = CallHeader.read(frame, at);
        at = call.end();
        Execution execution = admit(frame, call, kind, call.at() == from && at >= frame.length());
        if (execution != null) {
          if (first == null) {
            first = execution;
          } else {
            last.nextInFrame = execution;
          }
          last = execution;
        }
      } while (at < frame.length());
    } catch (IllegalArgumentException e) {
      // The end of the session would wait for these calls, which never run.
      for (; first != null; first = first.nextInFrame) {
        running[first.call.slot()] = null;
      }
      violated((kind == 0 ? "a message of " : "a write of ") + (frame.length() - from) + " bytes that " + e.getMessage());
      return;
    }
    while (first != null) {
      Execution next = first.nextInFrame;
      first.nextInFrame = null;
      worker.execute(first);
      first = next;
    }
  }

  private Execution admit(Buffer frame, CallHeader call, int kind, boolean alone) {
    if (pendingAnswers > MAX_PENDING_ANSWERS) {
      throw new IllegalArgumentException("arrives while " + pendingAnswers + " answers wait to be read by the caller");
    }
    if (pendingBytes > MAX_PENDING_MEMORY * (lease.request.memory() + (long) lease.request.slots() * ResultStreamImpl.WINDOW)) {
      throw new IllegalArgumentException("arrives while " + pendingBytes + " bytes of results wait to be read by the caller");
    }
    long id = call.id();
    int slot = call.slot();
    if (call.secret() != lease.secret) {
      return refuse(id, Reason.FORGED_INVOCATION, "it does not carry the secret of lease " + lease.name());
    }
    long sequence = call.sequence();
    if (slot >= lease.request.slots() || running[slot] != null || sequence <= lastSequence[kind] || sequence <= lastInSlot[slot]) {
      return refuse(id, Reason.FORGED_INVOCATION,
        slot >= lease.request.slots() ? "lease " + lease.name() + " has " + lease.request.slots() + " slots"
          : running[slot] != null ? "slot " + slot + " has a call in progress" : "its number was used before");
    }
    long resultAt = call.resultAt();
    if (results == null || call.maxResultBytes() < Wire.MIN_RESULT_BYTES || resultAt < 0
      || resultAt > results.size() - Wire.RESULT_HEADER - call.maxResultBytes()) {
      return refuse(id, Reason.PROTOCOL, "its result would be outside the region that was granted for results");
    }
    int bytes = call.bytes();
    if (bytesUnderWay + bytes > lease.request.memory()) {
      return refuse(id, Reason.ARGUMENTS_TOO_LARGE, "it has " + bytes + " bytes, and calls in progress use " + bytesUnderWay + " of the "
        + lease.request.memory() + " bytes of lease " + lease.name() + "; wait for their results, or lease with more memory");
    }
    if (abandoned.isFull(lease)) {
      return refuse(id, Reason.TOO_MANY_CALLS,
        abandoned + " of lease " + lease.name() + " were cancelled or timed out, but their functions still run; let the functions check"
          + " Invocation.isCancelled or set a cancelHandler, or use a longer timeout");
    }
    lastSequence[kind] = sequence;
    lastInSlot[slot] = sequence;
    FunctionTable.Entry entry = worker.functions.get(call.function());
    Execution execution = new Execution(this, entry, call, call.arguments(frame, alone));
    if (worker.isTraced()) {
      execution.headers = call.trace(frame, alone);
    }
    running[slot] = execution;
    bytesUnderWay += bytes;
    if (cancelled[slot] == id) {
      execution.cancel();
      answer(execution, Reason.CANCELLED, "cancelled");
      return null;
    }
    if (entry == null) {
      worker.refusals.increment();
      answer(execution, Reason.UNKNOWN_FUNCTION, "worker " + worker.name() + " has no function with the number " + call.function());
      return null;
    }
    return execution;
  }

  private Execution refuse(long id, Reason reason, String why) {
    worker.refusals.increment();
    pendingAnswers++;
    connection.write(Wire.refused(id, reason, "worker " + worker.name() + " refused invocation " + Long.toHexString(id) + ": " + why))
      .onComplete(written);
    return null;
  }

  void ended(Execution execution) {
    abandoned.ended(execution);
  }

  void completed(Execution execution, Buffer result, Throwable cause) {
    ended(execution);
    Throwable failure = cause == null && execution.parts != null ? execution.parts.dropped() : cause;
    if (failure != null) {
      answer(execution, Reason.FUNCTION_FAILED, "function '" + execution.function() + "' failed on worker " + worker.name() + ": "
        + Wire.words(failure));
    } else if (result == null) {
      post(execution, 0, Buffer.buffer());
    } else if (result.length() > execution.call.maxResultBytes()) {
      answer(execution, Reason.RESULT_TOO_LARGE, "the result of function '" + execution.function() + "' has " + result.length()
        + " bytes, and the caller has room for " + execution.call.maxResultBytes() + "; call it with a larger maxResult");
    } else {
      post(execution, 0, result);
    }
  }

  void answer(Execution execution, Reason reason, String words) {
    byte[] bytes = Wire.bytes(words);
    post(execution, 1 + reason.ordinal(), Buffer.buffer().appendBytes(bytes, 0, Math.min(bytes.length, execution.call.maxResultBytes())));
  }

  private void post(Execution execution, int status, Buffer payload) {
    if (execution.answered || closing != null) {
      return;
    }
    execution.answered = true;
    running[execution.call.slot()] = null;
    bytesUnderWay -= execution.call.bytes();
    execution.endParts();
    if (execution.span != null) {
      execution.span.accept(status == 0 ? null : new FunctionException(Wire.reason(status - 1), payload.toString()));
    }
    int length = payload.length();
    pendingAnswers++;
    Future<Void> writing = Wire.RESULT_HEADER + length <= lease.request.messageSize()
      ? connection.write(result(Buffer.buffer(1 + Wire.RESULT_HEADER + length).appendByte(Wire.RESULT), execution, status, payload))
      : results.writeNotify(execution.call.resultAt(), result(Buffer.buffer(Wire.RESULT_HEADER + length), execution, status, payload),
        execution.id);
    if (length < LARGE) {
      writing.onComplete(written);
    } else {
      pendingBytes += length;
      writing.onComplete(taken -> {
        pendingBytes -= length;
        written(taken);
      });
    }
  }

  private static Buffer result(Buffer frame, Execution execution, int status, Buffer payload) {
    return frame.appendLongLE(execution.id).appendIntLE(status).appendIntLE(payload.length()).appendLongLE(execution.nanos)
      .appendLongLE(execution.parts == null ? 0 : execution.parts.sent()).appendBuffer(payload);
  }

  private void written(AsyncResult<Void> result) {
    pendingAnswers--;
    if (result.failed()) {
      end(Reason.WORKER_LOST, "worker " + worker.name() + " could not write a result: " + Wire.words(result.cause()));
    }
  }

  void reportMode(byte mode) {
    if (closing == null) {
      connection.write(Buffer.buffer(2).appendByte(Wire.MODE).appendByte(mode));
    }
  }

  private void violated(String what) {
    worker.refusals.increment();
    end(Reason.PROTOCOL, "worker " + worker.name() + " got " + what);
  }

  private void notBegun(Execution execution) {
    execution.answered = true;
    execution.endParts();
    running[execution.call.slot()] = null;
    if (execution.span != null) {
      execution.span.accept(new FunctionException(Reason.LEASE_ENDED, "its lease has ended before it began"));
    }
    refuseUnbegun(execution.id);
  }

  /** Refuses a call so that the client repeats it on another worker. */
  private void refuseUnbegun(long id) {
    pendingAnswers++;
    connection.write(Wire.refused(id, Reason.LEASE_ENDED, "worker " + worker.name() + " has not begun it, since its lease has ended"))
      .onComplete(done -> pendingAnswers--);
  }

  Future<Void> end(Reason reason, String words) {
    if (closing == null) {
      for (Execution execution : running) {
        if (execution != null && worker.forget(execution)) {
          notBegun(execution);
        }
      }
      connection.write(Wire.ended(reason, words));
      worker.context().owner().setTimer(NOTICE_MILLIS, timer -> noticed.tryComplete());
      return close(reason == Reason.PROTOCOL ? Future.succeededFuture() : noticed.future());
    }
    return closing;
  }

  private Future<Void> close() {
    return close(Future.succeededFuture());
  }

  private Future<Void> close(Future<Void> after) {
    if (closing == null) {
      if (hot != null) {
        hot.stop();
      }
      closing = after.compose(v -> connection.shutdown(Duration.ofMillis(CLOSE_MILLIS - NOTICE_MILLIS))).otherwiseEmpty()
        .compose(v -> results == null ? Future.succeededFuture() : results.close().otherwiseEmpty())
        .compose(v -> sharing.otherwiseEmpty())
        .compose(region -> region == null ? Future.succeededFuture() : region.close().otherwiseEmpty());
      for (Execution execution : running) {
        if (execution != null) {
          abandon(execution);
          if (execution.span != null) {
            execution.span.accept(new FunctionException(Reason.CANCELLED, "the caller has disconnected, or its lease has ended"));
          }
        }
      }
      worker.closed(this, closing);
    }
    return closing;
  }
}
