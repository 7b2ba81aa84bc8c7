package io.github.vertxrdma.provider.devices.memory;

/**
 * A unit of traffic between two domains. The {@link Courier} calls one of {@link #deliver}, {@link #bounce} and {@link #fail}, or none to
 * lose the parcel.
 */
public final class Parcel {
  private final ParcelPath path;
  private final Courier.Cargo cargo;
  private final InMemoryQueue queue;
  private final Arrival arrival;

  Parcel(ParcelPath path, Courier.Cargo cargo, InMemoryQueue queue, Arrival arrival) {
    this.path = path;
    this.cargo = cargo;
    this.queue = queue;
    this.arrival = arrival;
  }

  public int from() {
    return path.from();
  }

  /** Returns the number of the receiving domain; -1 if none has the address. */
  public int to() {
    return path.to();
  }

  /** Returns an object that parcels in order share; compared by identity. */
  public Object flow() {
    return path.flow();
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
    return cargo + " from " + from() + " to " + to();
  }
}
