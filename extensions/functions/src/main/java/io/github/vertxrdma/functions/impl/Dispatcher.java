package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.base.Deadlines;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * Queues calls until a worker is free, in order for each function. Confined to the client's event loop. Completes no call while iterating a
 * collection: its handler may make further calls.
 */
final class Dispatcher {
  /** Completed calls are removed from a queue that is longer than this plus twice the number of waiting calls. */
  private static final int DONE_AT_MOST = 64;
  /** Number of queues at which empty queues are removed. */
  private static final int EMPTY_AT_MOST = 64;
  private static final Comparator<CallImpl> FIRST_COME = Comparator.comparingLong(call -> call.number);

  private final Deadlines timeouts;
  private final List<LeaseImpl> leases;
  private final int maxWaiting;
  private final BooleanSupplier isRefilling;
  /** Waiting calls by function. Completed calls may stay in a queue until they are its first. */
  private final Map<String, PriorityQueue<CallImpl>> queues = new HashMap<>();
  /** Reused lists: the next call of each function, and the leases that are reserved for these calls. */
  private final List<CallImpl> heads = new ArrayList<>();
  private final List<LeaseImpl> reservedLeases = new ArrayList<>();
  private volatile int waiting;
  private long number;
  private boolean dispatching;
  private FunctionException closed;

  Dispatcher(Deadlines timeouts, List<LeaseImpl> leases, int maxWaiting, BooleanSupplier isRefilling) {
    this.timeouts = timeouts;
    this.leases = leases;
    this.maxWaiting = maxWaiting;
    this.isRefilling = isRefilling;
  }

  /** Thread-safe. */
  int waiting() {
    return waiting;
  }

  void add(CallImpl call) {
    if (call.isDone()) {
      return;
    }
    if (closed != null) {
      call.fail(new FunctionException(Reason.CLOSED, "the client is closed"));
      return;
    }
    if (call.limited) {
      timeouts.setAt(call.timeout, call.deadline);
    }
    call.number = ++number;
    enqueue(call);
    if (waiting > maxWaiting) {
      if (dispatching) {
        // A free worker may take this call after the present one.
        call.client.context.runOnContext(v -> refuseIfFull(call));
      } else {
        refuseIfFull(call);
      }
    }
  }

  private void refuseIfFull(CallImpl call) {
    dispatch();
    if (call.waits && waiting > maxWaiting) {
      call.fail(new FunctionException(Reason.TOO_MANY_CALLS, "the call of function '" + call.function + "' was refused: "
        + (waiting - 1) + " calls wait for a free worker; lease more workers, or raise maxWaiting"));
    }
  }

  /** Adds a call to its queue. A call that has waited before returns to its place. */
  private void enqueue(CallImpl call) {
    call.waits = true;
    waiting++;
    queue(call.function).add(call);
  }

  private PriorityQueue<CallImpl> queue(String function) {
    PriorityQueue<CallImpl> queue = queues.get(function);
    if (queue == null) {
      if (queues.size() >= EMPTY_AT_MOST) {
        queues.values().removeIf(empty -> head(empty) == null);
      }
      queue = new PriorityQueue<>(FIRST_COME);
      queues.put(function, queue);
    }
    return queue;
  }

  private void removeWaiting(CallImpl call) {
    call.waits = false;
    waiting--;
  }

  CallImpl peek(String function) {
    return head(queue(function));
  }

  private static CallImpl head(PriorityQueue<CallImpl> queue) {
    CallImpl next;
    while ((next = queue.peek()) != null && next.isDone()) {
      queue.remove();
    }
    return next;
  }

  void take(CallImpl head) {
    removeWaiting(queue(head.function).remove());
  }

  private void findHeads() {
    heads.clear();
    reservedLeases.clear();
    for (PriorityQueue<CallImpl> queue : queues.values()) {
      CallImpl head = head(queue);
      if (head != null) {
        heads.add(head);
      }
    }
    if (heads.size() > 1) {
      heads.sort(FIRST_COME);
    }
  }

  void finished(CallImpl call) {
    if (call.waits) {
      removeWaiting(call);
      PriorityQueue<CallImpl> queue = queue(call.function);
      if (queue.size() > 2 * waiting + DONE_AT_MOST) {
        queue.removeIf(CallImpl::isDone);
      }
    }
  }

  void dispatch() {
    if (dispatching) {
      return;
    }
    dispatching = true;
    try {
      boolean more = waiting > 0;
      while (more) {
        more = dispatchOne() && waiting > 0;
      }
    } finally {
      dispatching = false;
      heads.clear();
      reservedLeases.clear();
    }
  }

  /**
   * Sends the first call that a worker can run, with small calls after it, or fails one that no worker can ever run. Skips leases for which
   * an earlier call waits, since that call may need more slots.
   */
  private boolean dispatchOne() {
    findHeads();
    for (int i = 0; i < heads.size(); i++) {
      CallImpl call = heads.get(i);
      WorkerLink link = choose(call);
      if (link != null) {
        link.send(this, call, Math.max(1, (waiting + workers() - 1) / workers()), nextNumber(i + 1, link.lease));
        return true;
      }
      FunctionException never = reserve(call) ? null : impossible(call);
      if (never != null) {
        take(call);
        call.fail(never);
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the number of the first head from an index on that a lease can run; {@code Long.MAX_VALUE} for none. Later calls must not
   * overtake it.
   */
  private long nextNumber(int from, LeaseImpl lease) {
    for (int i = from; i < heads.size(); i++) {
      if (lease.canRun(heads.get(i))) {
        return heads.get(i).number;
      }
    }
    return Long.MAX_VALUE;
  }

  /** Reserves all leases that can run a call. Returns false if there are none. */
  private boolean reserve(CallImpl call) {
    boolean waits = false;
    for (LeaseImpl lease : leases) {
      if (lease.canRun(call)) {
        if (!reservedLeases.contains(lease)) {
          reservedLeases.add(lease);
        }
        waits = true;
      }
    }
    return waits;
  }

  private int workers() {
    int count = 0;
    for (LeaseImpl lease : leases) {
      count += lease.links.size();
    }
    return Math.max(1, count);
  }

  /** Returns the unreserved worker with the most free slots, or null. Prefers servers that are not suspected to have died. */
  private WorkerLink choose(CallImpl call) {
    WorkerLink best = null;
    boolean isBestSuspected = false;
    for (LeaseImpl lease : leases) {
      if (lease.canRun(call) && !reservedLeases.contains(lease)) {
        int needed = lease.slotsFor(call);
        boolean isSuspected = lease.isSuspected();
        for (WorkerLink link : lease.links) {
          boolean isBetter = best == null || (isSuspected == isBestSuspected ? link.slots.available() > best.slots.available()
            : isBestSuspected);
          if (isBetter && link.slots.has(needed)) {
            best = link;
            isBestSuspected = isSuspected;
          }
        }
      }
    }
    return best;
  }

  /** Returns why no worker can ever run a call; null if one may. */
  private FunctionException impossible(CallImpl call) {
    if (leases.isEmpty()) {
      return isRefilling.getAsBoolean() ? null : call.client.withoutLease(call.function);
    }
    TreeSet<String> known = new TreeSet<>();
    int largest = 0;
    for (LeaseImpl lease : leases) {
      if (lease.links.isEmpty()) {
        // Its worker has announced the end of the lease.
        return null;
      }
      known.addAll(lease.functions.keySet());
      if (lease.functions.containsKey(call.function)) {
        largest = Math.max(largest, lease.slotSize * lease.options.getSlots());
      }
    }
    if (!known.contains(call.function)) {
      return isRefilling.getAsBoolean() ? null
        : new FunctionException(Reason.UNKNOWN_FUNCTION,
          "no leased worker has a function '" + call.function + "'; when their leases were granted, they had " + known);
    }
    if (largest == 0) {
      return null;
    }
    return call.arguments.length() > largest - Wire.CALL_HEADER
      ? new FunctionException(Reason.ARGUMENTS_TOO_LARGE, "the arguments of function '" + call.function + "' have "
        + call.arguments.length() + " bytes, but the largest input region of a lease has room for " + (largest - Wire.CALL_HEADER)
        + "; lease workers with more memory")
      : new FunctionException(Reason.RESULT_TOO_LARGE, "function '" + call.function + "' was called with a maxResult of "
        + call.maxResult + " bytes, but the largest lease has room for " + (largest - Wire.RESULT_HEADER)
        + "; lease workers with more memory");
  }

  /**
   * Handles a call whose worker was lost, after the write of the call has completed. An unsent call, or a call of an idempotent function,
   * returns to its place in the queue. Others fail.
   */
  void lost(CallImpl call, FunctionException why) {
    if (call.isDone()) {
      return;
    }
    call.loss = null;
    boolean possible = closed == null && (hasFunction(call.function) || isRefilling.getAsBoolean())
      && (call.stream == null || !call.stream.hasBegun());
    if (possible && call.isWriting) {
      call.loss = why;
    } else if (possible && (call.isUnsent || call.link.lease.functions.get(call.function).idempotent()) && call.again()) {
      call.link = null;
      call.earlyResult = null;
      if (call.stream != null) {
        call.stream.again();
      }
      enqueue(call);
    } else {
      call.fail(new FunctionException(why.reason(), "the call of function '" + call.function + "', invocation "
        + Long.toHexString(call.id) + ", has no result, and " + (call.isUnsent ? "has not begun: " : "may have run: ") + why.getMessage(),
        why));
    }
  }

  private boolean hasFunction(String name) {
    return leases.stream().anyMatch(lease -> lease.functions.containsKey(name));
  }

  void close(FunctionException why) {
    closed = why;
    List<CallImpl> failed = new ArrayList<>();
    queues.values().forEach(failed::addAll);
    queues.clear();
    failed.sort(FIRST_COME);
    failed.forEach(call -> call.fail(why));
  }
}
