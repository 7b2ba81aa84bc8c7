package io.github.vertxrdma.provider.devices.memory;

/**
 * An item on its way between two domains. The {@link Courier} calls at most one of {@link #deliver}, {@link #bounce} and {@link #fail},
 * once.
 */
public final class Parcel {
  private final int from;
  private final int to;
  private final Object flow;
  private final Courier.Cargo cargo;
  private final InMemoryQueue queue;
  private final Arrival arrival;

  Parcel(int from, int to, Object flow, Courier.Cargo cargo, InMemoryQueue queue, Arrival arrival) {
    this.from = from;
    this.to = to;
    this.flow = flow;
    this.cargo = cargo;
    this.queue = queue;
    this.arrival = arrival;
  }

  public int from() {
    return from;
  }

  /** Returns -1 if there is no domain at the address. */
  public int to() {
    return to;
  }

  /** Returns the flow, which is compared by identity. Parcels of one flow between two domains are in order. */
  public Object flow() {
    return flow;
  }

  public Courier.Cargo cargo() {
    return cargo;
  }

  public void deliver() {
    if (arrival.load() && !(queue == null ? arrival.arriveAtOnce() : queue.offer(arrival))) {
      arrival.bounce();
    }
  }

  public void bounce() {
    arrival.bounce();
  }

  /** Drops the parcel with an error of the fabric. */
  public void fail(int status) {
    arrival.fail(status);
  }

  @Override
  public String toString() {
    return cargo + " from " + from + " to " + to;
  }
}
