package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Calls that wait for a free worker, in order, and the time of all calls. On the client's event loop but for {@link #waiting}. Futures of
 * calls complete in the turn that completes them, and their handlers may call again: nothing is walked while that happens.
 */
final class Dispatcher {
  /** Period of looks at the time of calls. */
  private static final long TICK_MILLIS = 10;
  /** Calls that are done and still in the queue, beside as many as wait. */
  private static final int DONE_AT_MOST = 64;

  private final Vertx vertx;
  private final List<LeaseImpl> leases;
  private final int maxWaiting;
  /** With some that are done already, as they need not be at its head. */
  private final ArrayDeque<CallImpl> queue = new ArrayDeque<>();
  private volatile int waiting;
  /** Calls with a limit of time, waiting or under way. */
  private int limited;
  private long ticker = -1;
  private boolean dispatching;
  private FunctionException closed;

  /** @param leases of the client, in use */
  Dispatcher(Vertx vertx, List<LeaseImpl> leases, int maxWaiting) {
    this.vertx = vertx;
    this.leases = leases;
    this.maxWaiting = maxWaiting;
  }

  /** Calls that wait for a free worker; any thread. */
  int waiting() {
    return waiting;
  }

  /** Takes a call, which goes out with the next {@link #dispatch}, or fails it. */
  void add(CallImpl call) {
    if (call.isDone()) {
      return;
    }
    if (call.limited) {
      call.counted = true;
      if (++limited == 1 && ticker < 0) {
        ticker = vertx.setPeriodic(TICK_MILLIS, t -> tick());
      }
    }
    if (closed != null) {
      call.fail(new FunctionException(Reason.CLOSED, "the client is closed"));
    } else if (!hasRoom(call)) {
      call.fail(new FunctionException(Reason.TOO_MANY_CALLS, "the call of function '" + call.function + "' was refused: "
        + waiting + " calls wait for a free worker; lease more workers, or raise maxWaiting"));
    } else {
      enter(call);
      queue.add(call);
    }
  }

  private void enter(CallImpl call) {
    call.waits = true;
    waiting++;
  }

  private void leave(CallImpl call) {
    call.waits = false;
    waiting--;
  }

  private boolean hasRoom(CallImpl call) {
    if (waiting >= maxWaiting) {
      dispatch();
    }
    return waiting < maxWaiting || waiting == 0 && choose(call) != null;
  }

  /** The call that goes out next; null if none waits. */
  CallImpl peek() {
    CallImpl next;
    while ((next = queue.peek()) != null && next.isDone()) {
      queue.remove();
    }
    return next;
  }

  /** Takes the one of {@link #peek}. */
  void take() {
    leave(queue.remove());
  }

  /** A call is done, wherever it was. */
  void finished(CallImpl call) {
    if (call.counted) {
      limited--;
    }
    if (call.waits) {
      leave(call);
      if (queue.size() > 2 * waiting + DONE_AT_MOST) {
        queue.removeIf(CallImpl::isDone);
      }
    }
  }

  /** Sends what waits, as far as there are free slots. */
  void dispatch() {
    if (dispatching) {
      return;
    }
    dispatching = true;
    try {
      for (CallImpl call; (call = peek()) != null;) {
        WorkerLink link = choose(call);
        if (link != null) {
          link.send(this, Math.max(1, (waiting + workers() - 1) / workers()));
          continue;
        }
        FunctionException never = impossible(call);
        if (never == null) {
          break;
        }
        take();
        call.fail(never);
      }
    } finally {
      dispatching = false;
    }
  }

  private int workers() {
    int count = 0;
    for (LeaseImpl lease : leases) {
      count += lease.links().size();
    }
    return Math.max(1, count);
  }

  /** The worker with the most free slots of those that can take the call now. */
  private WorkerLink choose(CallImpl call) {
    WorkerLink best = null;
    for (LeaseImpl lease : leases) {
      if (lease.function(call.function) != null) {
        for (WorkerLink link : lease.links()) {
          if ((best == null || link.slots.available() > best.slots.available()) && link.slotsFor(call) > 0) {
            best = link;
          }
        }
      }
    }
    return best;
  }

  /** Why no worker will ever take a call; null if one will. */
  private FunctionException impossible(CallImpl call) {
    if (leases.isEmpty()) {
      return call.client.withoutLease(call.function);
    }
    TreeSet<String> known = new TreeSet<>();
    int largest = 0;
    for (LeaseImpl lease : leases) {
      lease.functionNames().forEach(known::add);
      if (lease.function(call.function) != null) {
        largest = Math.max(largest, lease.options().getMemory() / lease.options().getSlots() / 8 * 8 * lease.options().getSlots());
        for (WorkerLink link : lease.links()) {
          if (link.slotsFor(call) != -2) {
            return null;
          }
        }
      }
    }
    if (!known.contains(call.function)) {
      return new FunctionException(Reason.UNKNOWN_FUNCTION, "no leased worker has a function '" + call.function + "'; they have " + known
        + ", as far as they were registered before the lease was granted");
    }
    if (largest == 0) {
      return null;
    }
    return call.arguments.length() > largest - Wire.CALL_HEADER
      ? new FunctionException(Reason.ARGUMENTS_TOO_LARGE, "the arguments of function '" + call.function + "' have "
        + call.arguments.length() + " bytes, and workers have input regions for " + (largest - Wire.CALL_HEADER)
        + "; lease them with more memory")
      : new FunctionException(Reason.RESULT_TOO_LARGE, "function '" + call.function + "' was called with room for a result of "
        + call.maxResult + " bytes, and there is room for " + (largest - Wire.RESULT_HEADER) + "; lease workers with more memory");
  }

  /** Its worker is gone, and it has no answer: it waits again, before all others, or fails. */
  void lost(CallImpl call, FunctionException why) {
    LeaseAnswer.Function function = call.link.lease().function(call.function);
    if (closed == null && function.idempotent() && call.retries > 0 && !leases.isEmpty()
      && (call.stream == null || !call.stream.hasBegun())) {
      call.retries--;
      call.link = null;
      call.held = null;
      if (call.stream != null) {
        call.stream.again();
      }
      enter(call);
      queue.addFirst(call);
      return;
    }
    call.fail(new FunctionException(why.reason(), "the call of function '" + call.function + "', invocation "
      + Long.toHexString(call.id) + ", has no result, and may have run: " + why.getMessage(), why));
  }

  private void tick() {
    if (limited == 0) {
      stop();
      return;
    }
    long now = System.nanoTime();
    List<CallImpl> late = new ArrayList<>();
    for (CallImpl call : queue) {
      if (call.isLate(now)) {
        late.add(call);
      }
    }
    for (LeaseImpl lease : leases) {
      for (WorkerLink link : lease.links()) {
        link.addLate(now, late);
      }
    }
    late.forEach(call -> call.giveUp(Reason.TIMEOUT, "timed out"));
  }

  private void stop() {
    if (ticker >= 0) {
      vertx.cancelTimer(ticker);
      ticker = -1;
    }
  }

  /** Fails what waits, and all that comes. */
  void close(FunctionException why) {
    closed = why;
    stop();
    List<CallImpl> failed = List.copyOf(queue);
    queue.clear();
    failed.forEach(call -> call.fail(why));
  }
}
