package io.github.vertxrdma.provider.devices.memory;

/** Something on its way from one domain of a fabric to another, for a {@link Courier}. One of its three ends is called, once, or none. */
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

  /** Number of the domain that it comes from. */
  public int from() {
    return from;
  }

  /** Number of the domain that it is for; -1 if there is none at the address. */
  public int to() {
    return to;
  }

  /** Parcels of one flow, from one domain to another, are in order; compared by identity. */
  public Object flow() {
    return flow;
  }

  public Courier.Cargo cargo() {
    return cargo;
  }

  /** Hands it over. */
  public void deliver() {
    if (arrival.load() && !(queue == null ? arrival.arriveAtOnce() : queue.offer(arrival))) {
      arrival.bounce();
    }
  }

  /** Ends it undelivered; the sender hears that nobody is there. */
  public void bounce() {
    arrival.bounce();
  }

  /** Ends it undelivered, with an error of the fabric. @param status of the completion */
  public void fail(int status) {
    arrival.fail(status);
  }

  @Override
  public String toString() {
    return cargo + " from " + from + " to " + to;
  }
}
