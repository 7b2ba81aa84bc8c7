package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import java.util.ArrayDeque;
import java.util.Iterator;

/** Posted receives, and messages that wait for one. Confined to the polling thread. */
final class Receives implements ReceiveQueue {
  private final InMemoryQueue queue;
  private final InMemoryResources domain;
  private final int capacity;
  private final boolean shared;
  private final Object owner;
  private final long[] requestIds;
  private final InMemoryRegion[] regions;
  private final long[] offsets;
  private final int[] lengths;
  private final ArrayDeque<Message> waiting = new ArrayDeque<>();
  private int head;
  private int tail;
  private boolean closed;

  /** @param owner the only endpoint that uses the queue; null for a shared queue */
  Receives(InMemoryQueue queue, InMemoryResources domain, int capacity, Object owner) {
    this.queue = queue;
    this.domain = domain;
    this.capacity = capacity;
    shared = owner == null;
    this.owner = shared ? this : owner;
    int size = Integer.highestOneBit(Math.max(1, capacity) * 2 - 1);
    requestIds = new long[size];
    regions = new InMemoryRegion[size];
    offsets = new long[size];
    lengths = new int[size];
    if (shared) {
      queue.adopt(this);
    }
  }

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public boolean shared() {
    return shared;
  }

  int posted() {
    return tail - head;
  }

  @Override
  public int post(long requestId, MemoryRegion region, long offset, int length) {
    if (closed) {
      return Status.NOT_CONNECTED;
    }
    InMemoryRegion memory = region instanceof InMemoryRegion own ? own : null;
    if (memory == null ? region != null || !domain.capabilities().receivesInPlace() || offset != 0 || length < 0
      : !memory.permits(Access.LOCAL_WRITE) || !memory.usable(domain.regions(), offset, length, false)) {
      return Status.LOCAL_RANGE;
    }
    if (posted() == capacity) {
      return Status.AGAIN;
    }
    int refusal = domain.refusal(Operation.RECEIVE);
    if (refusal != Status.OK) {
      return refusal;
    }
    int i = tail++ & requestIds.length - 1;
    requestIds[i] = requestId;
    regions[i] = memory;
    offsets[i] = offset;
    lengths[i] = length;
    if (!waiting.isEmpty()) {
      receive(waiting.poll());
    }
    return Status.OK;
  }

  /** Puts an arriving message into the oldest receive, or lets it wait for one. */
  void arrived(Message message) {
    if (posted() == 0) {
      waiting.add(message);
    } else {
      receive(message);
    }
  }

  private void receive(Message message) {
    int i = head++ & requestIds.length - 1;
    InMemoryRegion region = regions[i];
    regions[i] = null;
    byte[] data = message.data();
    Endpoint endpoint = message.endpoint();
    Entry entry = queue.completion(requestIds[i], message.write ? Operation.REMOTE_WRITE : Operation.RECEIVE, endpoint,
      owner, message.write ? 0 : data.length);
    if (message.hasImmediate) {
      entry.hasImmediate = true;
      entry.immediate = message.immediate;
    }
    if (data.length > lengths[i]) {
      entry.status = Status.LENGTH;
      entry.error = "a message of " + data.length + " bytes does not fit into the posted receive of " + lengths[i];
      message.failed(Status.REMOTE_OPERATION, entry.error);
      return;
    }
    if (region == null && !message.write) {
      entry.message = data.clone();
    } else if (region != null && !region.write(offsets[i], data)) {
      entry.status = Status.LOCAL_PROTECTION;
      entry.error = "the posted receive's memory region was closed";
      message.failed(Status.REMOTE_OPERATION, entry.error);
      return;
    }
    message.delivered();
  }

  /** Completes all receives of an endpoint as flushed when its connection broke. */
  void flush(Endpoint endpoint, String why) {
    while (posted() > 0) {
      int i = head++ & requestIds.length - 1;
      regions[i] = null;
      Entry entry = queue.completion(requestIds[i], Operation.RECEIVE, endpoint, owner, 0);
      entry.status = Status.FLUSHED;
      entry.error = why;
    }
  }

  /** Refuses further receives, since the endpoint has ended. */
  void end() {
    closed = true;
  }

  /** Drops waiting messages of an endpoint. */
  void forget(Endpoint endpoint) {
    for (Iterator<Message> it = waiting.iterator(); it.hasNext();) {
      if (it.next().endpoint() == endpoint) {
        it.remove();
      }
    }
  }

  /** Drops all receives, and bounces waiting messages to their senders. */
  void discard() {
    head = tail;
    for (Message message; (message = waiting.poll()) != null;) {
      message.bounce();
    }
  }

  @Override
  public void close() {
    if (!shared || closed) {
      return;
    }
    closed = true;
    flush(null, "the shared receive queue was closed");
    waiting.clear();
    queue.abandon(this);
  }
}
