package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Waiting;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A completion queue. Peers hand items over by a concurrent inbox. Everything else happens on the polling thread. Connection events and
 * completions are delivered in the order in which they happened: a handler is called only while no earlier completion is in the batch.
 */
final class InMemoryQueue implements CompletionQueue {
  private static final long NOTHING_LATE = Long.MIN_VALUE;

  /** The clock of delays. The first delay starts it. */
  private static final class Late {
    static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(
      Thread.ofPlatform().daemon().name("in-memory-delay").factory());
  }

  private final InMemoryFabric fabric;
  private final int capacity;
  private final Waiting waiting;
  private final ConcurrentLinkedQueue<Arrival> inbox = new ConcurrentLinkedQueue<>();
  private final ArrayDeque<Entry> ready = new ArrayDeque<>();
  private final ArrayDeque<Entry> spare = new ArrayDeque<>();
  /** Messages of the last batch that are read in place. */
  private final ArrayDeque<byte[]> inPlace = new ArrayDeque<>();
  private final AtomicBoolean armed = new AtomicBoolean();
  private final Set<AutoCloseable> children = new LinkedHashSet<>();
  private final Runnable onClose;
  /** Arrivals that are delayed. */
  private final ArrayDeque<Arrival> late = new ArrayDeque<>();
  /** Time at which the last delayed arrival is or was due. */
  private volatile long lastDue = NOTHING_LATE;
  private volatile Runnable wakeup;
  private volatile boolean closed;

  InMemoryQueue(InMemoryFabric fabric, int capacity, Waiting waiting, java.util.function.Consumer<InMemoryQueue> onClose) {
    this.fabric = fabric;
    this.capacity = capacity;
    this.waiting = waiting;
    this.onClose = () -> onClose.accept(this);
    fabric.queues.incrementAndGet();
  }

  /** Hands an item over after the delay of the fabric. Any thread. @return false if the queue is closed */
  boolean offer(Arrival arrival) {
    long delay = fabric.delayNanos();
    if (delay == 0 && lastDue == NOTHING_LATE) {
      return hand(arrival);
    }
    return !closed && late(arrival, delay);
  }

  /** Delays an arrival. Delayed arrivals and those behind them stay in order. */
  private synchronized boolean late(Arrival arrival, long delay) {
    long now = System.nanoTime();
    lastDue = Math.max(now + delay, lastDue == NOTHING_LATE ? now : lastDue);
    late.add(arrival);
    Late.CLOCK.schedule(this::handNext, lastDue - now, TimeUnit.NANOSECONDS);
    return true;
  }

  /** Hands over the first delayed arrival. Called once for each. */
  private void handNext() {
    Arrival next;
    synchronized (this) {
      next = late.poll();
    }
    if (!hand(next)) {
      next.bounce();
    }
  }

  private boolean hand(Arrival arrival) {
    if (closed) {
      return false;
    }
    inbox.add(arrival);
    if (closed && inbox.remove(arrival)) {
      return false;
    }
    wake();
    return true;
  }

  /**
   * Wakes the polling thread if it may sleep. It may sleep even after an event that it caused itself, as a connect that is refused at once.
   */
  private void wake() {
    if (armed.get() && armed.getAndSet(false)) {
      Runnable handler = wakeup;
      if (handler != null) {
        handler.run();
      }
    }
  }

  /** Adds a completion. On the polling thread. */
  Entry completion(long requestId, Operation operation, Endpoint endpoint, Object owner, long length) {
    Entry entry = entry(owner);
    entry.requestId = requestId;
    entry.operation = operation;
    entry.endpoint = endpoint;
    entry.length = length;
    return entry;
  }

  /** Adds a connection event, which runs within a poll. On the polling thread. */
  void event(Object owner, Runnable event) {
    entry(owner).event = event;
  }

  private Entry entry(Object owner) {
    Entry entry = spare.poll();
    if (entry == null) {
      entry = new Entry();
    }
    entry.owner = owner;
    ready.add(entry);
    wake();
    return entry;
  }

  /**
   * Drops the entries of a closed endpoint. Messages of it in receives of a shared queue stay, since the application gets these receives
   * back with them.
   */
  void forget(Object owner) {
    ready.removeIf(e -> e.owner == owner);
  }

  void adopt(AutoCloseable child) {
    children.add(child);
  }

  void abandon(AutoCloseable child) {
    children.remove(child);
  }

  @Override
  public int capacity() {
    return capacity;
  }

  @Override
  public int poll(CompletionBatch batch) {
    batch.clear();
    if (closed) {
      return 0;
    }
    armed.setPlain(false);
    overwriteMessages();
    for (Arrival a; ready.size() < batch.capacity() && (a = inbox.poll()) != null;) {
      a.arrive();
    }
    // Events that handlers add wait for the next poll. Otherwise a handler that reconnects at once would never let the poll return.
    for (int n = ready.size(); n > 0 && !batch.isFull(); n--) {
      Entry entry = ready.peek();
      if (entry == null || entry.event != null && batch.size() > 0) {
        break;
      }
      ready.poll();
      if (entry.event != null) {
        Runnable event = entry.event;
        recycle(entry);
        event.run();
        continue;
      }
      int i = batch.add(entry.requestId, entry.operation, entry.endpoint, entry.length);
      if (entry.message != null) {
        batch.memory(i, MemorySegment.ofArray(entry.message), 0);
        inPlace.add(entry.message);
      }
      if (entry.hasImmediate) {
        batch.immediate(i, entry.immediate);
      }
      if (entry.status != 0) {
        batch.error(i, entry.status, entry.error);
      }
      if (entry.sendQueue != null) {
        entry.sendQueue.drained(entry.slots, entry.reads);
      }
      recycle(entry);
    }
    return batch.size();
  }

  /** Overwrites messages that were read in place, as a peer may that has the memory again. */
  private void overwriteMessages() {
    for (byte[] message; (message = inPlace.poll()) != null;) {
      Arrays.fill(message, (byte) 0xd5);
    }
  }

  private void recycle(Entry entry) {
    entry.clear();
    if (spare.size() < capacity) {
      spare.add(entry);
    }
  }

  @Override
  public Waiting waiting() {
    return waiting;
  }

  @Override
  public boolean arm() {
    overwriteMessages();
    if (waiting == Waiting.NONE) {
      return ready.isEmpty() && inbox.isEmpty();
    }
    armed.set(true);
    if (ready.isEmpty() && inbox.isEmpty()) {
      return true;
    }
    armed.set(false);
    return false;
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    wakeup = handler;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    for (AutoCloseable child : new ArrayList<>(children).reversed()) {
      try {
        child.close();
      } catch (Exception e) {
        throw new IllegalStateException(e); // none of ours throws
      }
    }
    closed = true;
    for (Arrival a; (a = inbox.poll()) != null;) {
      a.bounce();
    }
    ready.clear();
    fabric.queues.decrementAndGet();
    onClose.run();
  }
}
