package io.github.vertxrdma.provider.devices.memory;

/**
 * An item on its way from one domain of a fabric to another, for a {@link Courier}. The courier calls at most one of {@link #deliver},
 * {@link #bounce} and {@link #fail}, once.
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

  /** Returns the number of the sending domain. */
  public int from() {
    return from;
  }

  /** Returns the number of the receiving domain, or -1 if there is none at the address. */
  public int to() {
    return to;
  }

  /** Returns the flow. Parcels of one flow from one domain to another are in order. Flows are compared by identity. */
  public Object flow() {
    return flow;
  }

  public Courier.Cargo cargo() {
    return cargo;
  }

  /** Delivers the parcel. */
  public void deliver() {
    if (arrival.load() && !(queue == null ? arrival.arriveAtOnce() : queue.offer(arrival))) {
      arrival.bounce();
    }
  }

  /** Ends it undelivered, as if there were no receiver. */
  public void bounce() {
    arrival.bounce();
  }

  /** Drops the parcel with an error of the fabric. @param status the status of the completion */
  public void fail(int status) {
    arrival.fail(status);
  }

  @Override
  public String toString() {
    return cargo + " from " + from + " to " + to;
  }
}
