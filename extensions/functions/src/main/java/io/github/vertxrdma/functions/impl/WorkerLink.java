package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.WorkerInfo;
import io.github.vertxrdma.functions.WorkerMode;
import io.github.vertxrdma.impl.calls.Instances;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A leased worker at its client. A slot is a part of the worker's region for arguments and of the client's region for results. A call
 * occupies slots from its write to its answer.
 */
final class WorkerLink {
  private static final long OPEN_MILLIS = 10_000;
  /** Time to connect to a new process, whose JVM is not warmed up. */
  private static final long COLD_OPEN_MILLIS = 60_000;
  private static final long CLOSE_MILLIS = 2_000;

  final LeaseImpl lease;
  private final String worker;
  private final CallImpl[] calls = new CallImpl[Wire.MAX_SLOTS];
  private final Promise<WorkerLink> opened = Promise.promise();
  final SlotMap slots;
  private RdmaConnection connection;
  private RemoteRegion input;
  private MemoryRegion results;
  private long sequence;
  private WorkerMode mode;
  private boolean closed;
  private FunctionException endReason;

  WorkerLink(LeaseImpl lease, String worker) {
    this.lease = lease;
    this.worker = worker;
    this.slots = new SlotMap(lease.options.getSlots());
    this.mode = lease.options.getMode() == WorkerMode.COLD ? WorkerMode.COLD : WorkerMode.WARM;
  }

  Future<WorkerLink> open() {
    Future<RdmaConnection> coming = lease.caller != null ? lease.client.arrivals.worker(lease.caller, worker)
      : lease.client.rdma.connect(worker, new RdmaConnectOptions().setPrivateData(lease.ticket()));
    coming.onComplete(connected -> {
      if (connected.succeeded()) {
        connected(connected.result());
      } else {
        lost(new FunctionException(Reason.WORKER_LOST, this + " cannot be connected to: " + Wire.words(connected.cause()),
          connected.cause()));
      }
    });
    long limit = lease.options.getMode() == WorkerMode.COLD ? COLD_OPEN_MILLIS : OPEN_MILLIS;
    long timer = lease.client.vertx.setTimer(limit, t -> lost(new FunctionException(Reason.WORKER_LOST, this
      + " did not grant the use of its input region in " + limit + " ms")));
    return opened.future().onComplete(done -> lease.client.vertx.cancelTimer(timer));
  }

  private void connected(RdmaConnection made) {
    connection = made;
    if (closed) {
      close();
      return;
    }
    Promise<RemoteRegion> granted = Promise.promise();
    made.grantHandler(granted::tryComplete);
    Throwable[] broken = {null};
    made.exceptionHandler(cause -> broken[0] = cause);
    made.closeHandler(v -> lost(endReason != null ? endReason : new FunctionException(Reason.WORKER_LOST, this + " was lost: "
      + (broken[0] == null ? "it closed the connection" : Instances.words(broken[0], "it")), broken[0])));
    made.handler(this::message);
    made.write(lease.ticket());
    lease.client.rdma.createRegion(new RegionOptions().setSize((long) lease.slotSize * slots.slots).setAccess(RegionAccess.WRITE)
      .addFabric(made.fabric().device())).compose(region -> {
        results = region;
        region.notificationHandler(this::result);
        return closed ? Future.failedFuture("it was given up") : made.grant(region, Set.of(RegionAccess.WRITE), null);
      }).compose(v -> granted.future()).onComplete(done -> {
        if (done.succeeded() && !closed) {
          input = done.result();
          opened.tryComplete(this);
        } else if (done.failed()) {
          lost(new FunctionException(Reason.WORKER_LOST, this + " cannot be used: " + Wire.words(done.cause()), done.cause()));
        }
        if (closed) {
          close();
        }
      });
    // The grant never arrives if opening failed.
    opened.future().onFailure(granted::tryFail);
  }

  /**
   * Sends the first waiting call of a function, with small calls after it in the same frame.
   *
   * @param before number of a waiting call of another function; later calls are not sent
   */
  void send(Dispatcher calls, CallImpl first, int most, long before) {
    int needed = lease.slotsFor(first);
    int length = Wire.CALL_HEADER + Wire.padded(first.arguments.length());
    int messageSize = lease.options.getMessageSize();
    boolean message = length <= messageSize;
    int from = message ? 1 : 0;
    int limit = message ? messageSize : lease.slotSize;
    Buffer frame = Buffer.buffer(from + length);
    if (message) {
      frame.appendByte(Wire.CALL);
    }
    calls.take(first);
    put(frame, first, needed);
    CallImpl last = first;
    for (CallImpl next; (message || needed == 1) && --most > 0 && (next = calls.peek(first.function)) != null;) {
      if (next.number > before || lease.slotsFor(next) != 1 || !slots.has(1)
        || frame.length() - from + Wire.CALL_HEADER + Wire.padded(next.arguments.length()) > limit) {
        break;
      }
      calls.take(next);
      put(frame, next, 1);
      last.nextInFrame = next;
      last = next;
    }
    (message ? connection.write(frame) : input.writeNotify((long) first.slot() * lease.slotSize, frame, first.id)).onComplete(first);
  }

  void unwritten(Throwable cause) {
    lost(new FunctionException(Reason.WORKER_LOST, "a call could not be written to " + this + ": " + Instances.words(cause, "it"), cause));
  }

  private void put(Buffer frame, CallImpl call, int count) {
    int slot = slots.take(count);
    call.link = this;
    call.isWriting = true;
    call.isUnsent = false;
    call.slots = count;
    call.id = ++sequence << Wire.SLOT_BITS | slot;
    call.slotResultBytes = count * lease.slotSize - Wire.RESULT_HEADER;
    calls[slot] = call;
    int millis = 0;
    if (call.limited) {
      millis = Math.clamp(TimeUnit.NANOSECONDS.toMillis(call.deadline - System.nanoTime()), 1, Integer.MAX_VALUE);
    }
    int length = call.arguments.length();
    frame.appendLongLE(lease.secret).appendLongLE(call.id).appendIntLE(lease.functions.get(call.function).id()).appendIntLE(length)
      .appendLongLE((long) slot * lease.slotSize).appendIntLE(call.slotResultBytes).appendIntLE(millis)
      .appendIntLE(call.stream == null ? 0 : ResultStreamImpl.WINDOW).appendIntLE(call.headers).appendBuffer(call.arguments);
    for (int i = length; i < Wire.padded(length); i++) {
      frame.appendByte((byte) 0);
    }
  }

  void cancel(CallImpl call) {
    if (!closed) {
      connection.write(Wire.cancel(call.id));
    }
  }

  Future<Void> read(CallImpl call, long bytes) {
    return closed ? Future.failedFuture("it is not used any more") : connection.write(Wire.read(call.id, bytes));
  }

  private void result(RegionNotification written) {
    if (closed) {
      return;
    }
    CallImpl call = underWay(written.tag());
    if (call == null || written.offset() != (long) call.slot() * lease.slotSize
      || written.length() > Wire.RESULT_HEADER + call.slotResultBytes) {
      forged(written.tag());
      return;
    }
    try {
      // Copies the result before it is read, because the worker could overwrite it.
      WorkerMessage.Result result = WorkerMessage.Result.read(Wire.copy(results.segment(), written.offset(), (int) written.length()), 0);
      if (result.id() == call.id) {
        result(call, result);
      } else {
        forged(result.id());
      }
    } catch (IllegalArgumentException e) {
      violated(e);
    }
  }

  private CallImpl underWay(long id) {
    CallImpl call = calls[Wire.slot(id)];
    return call != null && call.id == id ? call : null;
  }

  private void forged(long id) {
    lost(new FunctionException(Reason.FORGED_INVOCATION, this + " sent a result for invocation " + Long.toHexString(id)
      + ", which is not in progress there; its lease is not used any more"));
  }

  private void result(CallImpl call, WorkerMessage.Result result) {
    if (result.failure() != null) {
      answered(call, null, failure(result.failure(), result.payload().toString()));
    } else if (call.stream == null || call.stream.expect(result.parts())) {
      answered(call, result.payload(), null);
    } else {
      // The result overtook parts: notified writes and messages are not ordered.
      call.earlyResult = result.payload();
    }
  }

  /** @param failure null if the call succeeded */
  private void answered(CallImpl call, Buffer result, FunctionException failure) {
    calls[call.slot()] = null;
    slots.free(call.slot(), call.slots);
    if (failure == null) {
      call.succeed(result);
    } else {
      call.fail(failure);
    }
    lease.client.dispatcher.dispatch();
  }

  /** Sends no more calls. The worker refuses those that are still on their way, and closes. */
  private void ending() {
    lease.links.remove(this);
    connection.end();
    lease.client.vertx.setTimer(CLOSE_MILLIS, timer -> lost(endReason));
  }

  /** Handles a call that the worker did not begin before its lease ended. The message of this end follows. */
  private void notBegun(CallImpl call, FunctionException why) {
    calls[call.slot()] = null;
    lease.links.remove(this);
    call.isUnsent = true;
    lease.client.dispatcher.lost(call, why);
  }

  private FunctionException failure(Reason reason, String words) {
    return new FunctionException(reason, words + " (node " + lease.nodeName() + ')');
  }

  private void message(Buffer message) {
    if (closed) {
      return;
    }
    WorkerMessage received;
    try {
      received = WorkerMessage.read(message);
    } catch (IllegalArgumentException e) {
      violated(e);
      return;
    }
    switch (received) {
      case WorkerMessage.Result result -> {
        CallImpl call = underWay(result.id());
        if (call == null || result.payload().length() > call.slotResultBytes) {
          forged(result.id());
        } else {
          result(call, result);
        }
      }
      case WorkerMessage.Refused refused -> {
        CallImpl call = underWay(refused.id());
        if (call != null && refused.reason() == Reason.LEASE_ENDED) {
          notBegun(call, failure(refused.reason(), refused.words()));
        } else if (call != null) {
          answered(call, null, failure(refused.reason(), refused.words()));
        }
      }
      case WorkerMessage.Ended ended -> {
        endReason = failure(ended.reason(), ended.words());
        ending();
      }
      case WorkerMessage.Part part -> part(part);
      case WorkerMessage.Mode changed -> mode = changed.mode();
    }
  }

  private void part(WorkerMessage.Part received) {
    CallImpl call = underWay(received.id());
    boolean last;
    try {
      last = call != null && call.stream != null && call.stream.arrived(received.part());
    } catch (IllegalArgumentException e) {
      violated(e);
      return;
    }
    if (last) {
      answered(call, call.earlyResult, null);
    }
  }

  private void violated(IllegalArgumentException what) {
    lost(new FunctionException(Reason.PROTOCOL, this + " sent " + what.getMessage()));
  }

  /** Closes the link. Its calls are repeated on other workers, or fail. */
  void lost(FunctionException why) {
    if (closed) {
      return;
    }
    closed = true;
    opened.tryFail(why);
    List<CallImpl> unanswered = new ArrayList<>();
    for (int i = 0; i < calls.length; i++) {
      if (calls[i] != null && !calls[i].isDone()) {
        unanswered.add(calls[i]);
      }
      calls[i] = null;
    }
    close();
    lease.lost(this, why);
    unanswered.forEach(call -> lease.client.dispatcher.lost(call, why));
    lease.client.dispatcher.dispatch();
  }

  private void close() {
    MemoryRegion local = results;
    RemoteRegion remote = input;
    results = null;
    input = null;
    Future<Void> cut = connection == null ? Future.succeededFuture()
      : connection.shutdown(Duration.ofMillis(CLOSE_MILLIS)).otherwiseEmpty();
    lease.client.closes(cut.compose(v -> remote == null ? Future.succeededFuture() : remote.close().otherwiseEmpty())
      .compose(v -> local == null ? Future.succeededFuture() : local.close().otherwiseEmpty()));
  }

  WorkerInfo info() {
    return new WorkerInfo(worker, lease.nodeId(), input == null ? "" : input.fabric(), mode,
      (int) Arrays.stream(calls).filter(Objects::nonNull).count());
  }

  @Override
  public String toString() {
    return "worker " + worker + " of node " + lease.nodeName();
  }
}
