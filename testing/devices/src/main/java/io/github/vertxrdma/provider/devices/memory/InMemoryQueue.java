package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.software.SoftwareQueue;
import java.util.ArrayDeque;
import java.util.Arrays;

/** A completion queue. Peers add items on their threads. All other calls are on the polling thread. */
final class InMemoryQueue extends SoftwareQueue {
  private final InMemoryFabric fabric;
  private final ArrivalQueue arrivals;
  private final ArrayDeque<byte[]> inPlace = new ArrayDeque<>();

  InMemoryQueue(InMemoryDomain domain, int capacity, ArrivalQueue arrivals) {
    super(domain, capacity, arrivals, domain.fabric().courier::nanoTime);
    this.fabric = domain.fabric();
    this.arrivals = arrivals;
    fabric.queues.incrementAndGet();
  }

  boolean offer(Arrival arrival) {
    return arrivals.offer(arrival);
  }

  /** Wakes the polling thread after its own action, such as a refused connect. */
  void wake() {
    arrivals.disturb();
  }

  /** Overwrites a message that was received in place, at the next poll or arm, as a peer may do. */
  void overwriteLater(byte[] message) {
    inPlace.add(message);
  }

  private void overwriteMessages() {
    for (byte[] message; (message = inPlace.poll()) != null;) {
      Arrays.fill(message, (byte) 0xd5);
    }
  }

  @Override
  public void remove(AutoCloseable child) {
    super.remove(child);
    wake();
  }

  @Override
  protected void pollBegins() {
    arrivals.disarm();
    overwriteMessages();
  }

  @Override
  protected void progress(CompletionBatch batch) {
    for (Arrival a; batch.size() + completions().size() < batch.capacity() && (a = arrivals.poll()) != null;) {
      a.arrive();
    }
  }

  @Override
  public boolean arm() {
    overwriteMessages();
    return super.arm();
  }

  @Override
  protected void released() {
    fabric.queues.decrementAndGet();
  }
}
