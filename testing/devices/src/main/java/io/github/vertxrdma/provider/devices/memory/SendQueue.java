package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;

/**
 * The work requests of an endpoint, which complete in the order of the posts. As on a queue pair, a slot becomes free only when the
 * completion that covers it is drained.
 */
final class SendQueue {
  private final InMemoryQueue queue;
  private final Endpoint endpoint;
  private final Object owner;
  private final Work[] ring;
  private final Budget budget;
  private int head;
  private int tail;
  private int used;
  private int reads;
  private int silent;
  private int silentReads;

  /**
   * Numbers of work requests, and of reads and atomics among them, that may be outstanding. All peers of a datagram endpoint share them.
   */
  static final class Budget {
    final int depth;
    final int readLimit;
    private int used;
    private int reads;

    Budget(int depth, int readLimit) {
      this.depth = depth;
      this.readLimit = readLimit;
    }
  }

  /**
   * Creates a send queue.
   *
   * @param owner the owner of the completions, for {@link InMemoryQueue#forget}
   * @param endpoint the endpoint that completions name; null for a datagram endpoint
   */
  SendQueue(InMemoryQueue queue, Object owner, Endpoint endpoint, Budget budget) {
    this.queue = queue;
    this.owner = owner;
    this.endpoint = endpoint;
    this.budget = budget;
    ring = new Work[Integer.highestOneBit(budget.depth * 2 - 1)];
    for (int i = 0; i < ring.length; i++) {
      ring[i] = new Work();
    }
  }

  int depth() {
    return budget.depth;
  }

  int readLimit() {
    return budget.readLimit;
  }

  /** Returns the number of work requests whose completion was not drained, without those that completed unsignalled. */
  int outstanding() {
    return used - silent;
  }

  boolean hasRoom(Operation operation) {
    return budget.used < budget.depth && (!operation.isRead() || budget.reads < budget.readLimit);
  }

  /** Takes a slot. The caller has checked {@link #hasRoom}. */
  Work add(WorkRequest request) {
    Work work = ring[tail++ & ring.length - 1];
    take(1, request.operation().isRead() ? 1 : 0);
    work.requestId = request.id();
    work.operation = request.operation();
    work.signaled = (request.flags() & PostFlags.SIGNALED) != 0;
    work.done = false;
    work.generation++;
    work.status = Status.OK;
    work.error = null;
    return work;
  }

  void complete(Work work, int status, String error) {
    work.done = true;
    work.status = status;
    work.error = error;
    while (head != tail && ring[head & ring.length - 1].done) {
      Work first = ring[head++ & ring.length - 1];
      silent++;
      silentReads += first.operation.isRead() ? 1 : 0;
      if (first.signaled || first.status != Status.OK) {
        Entry entry = queue.completion(first.requestId, first.operation, endpoint, owner, 0);
        entry.status = first.status;
        entry.error = first.error;
        entry.sendQueue = this;
        entry.slots = silent;
        entry.reads = silentReads;
        silent = 0;
        silentReads = 0;
      }
    }
  }

  /** Completes all work requests that are not done. */
  void flush(String why) {
    while (head != tail) {
      Work first = ring[head & ring.length - 1];
      if (first.done) {
        complete(first, first.status, first.error);
      } else {
        complete(first, Status.FLUSHED, why);
      }
    }
  }

  void drained(int slots, int readSlots) {
    take(-slots, -readSlots);
  }

  private void take(int slots, int readSlots) {
    used += slots;
    reads += readSlots;
    budget.used += slots;
    budget.reads += readSlots;
  }

  /** Drops all work requests of a closed endpoint. */
  void clear() {
    head = tail;
    take(-used, -reads);
    silent = 0;
    silentReads = 0;
  }
}
