package io.github.vertxrdma.provider.devices.memory;

/**
 * A unit of traffic between two domains. The {@link Courier} calls one of {@link #deliver}, {@link #bounce} and {@link #fail}, or none to
 * lose the parcel.
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

  /** Returns the number of the receiving domain; -1 if none has the address. */
  public int to() {
    return to;
  }

  /** Returns an object that parcels in order share; compared by identity. */
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

  /** Drops the parcel and completes its operation with an error. */
  public void fail(int status) {
    arrival.fail(status);
  }

  @Override
  public String toString() {
    return cargo + " from " + from + " to " + to;
  }
}
