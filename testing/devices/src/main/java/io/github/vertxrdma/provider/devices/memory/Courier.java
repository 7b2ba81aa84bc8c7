package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;

/**
 * Simulated network that carries all traffic of an in-memory fabric. It decides when a parcel (a unit of traffic) arrives, and which posts
 * are refused. A fabric without a courier delivers everything immediately. With a courier:
 * <ul>
 * <li>sends and writes are read from the sender's memory on arrival, the latest time that a device may choose;
 * <li>reads and atomics are executed when their request arrives;
 * <li>the fabric uses the courier's clock and starts no thread.
 * </ul>
 */
public interface Courier {

  enum Cargo {
    CONNECTION,
    END,
    MESSAGE,
    /** A write, read or atomic on its way to the target memory. */
    ACCESS,
    /** Acknowledgement of a message, or result of an access. */
    ANSWER
  }

  /**
   * Delivers a parcel now or later, or loses it. Keeps the order of parcels with one {@link Parcel#flow} between two domains, if the
   * capabilities promise it.
   */
  void carry(Parcel parcel);

  /**
   * Decides whether to refuse a post. Called after all other checks.
   *
   * @param domain number of the domain, counted from 0 in the order of opening
   * @return {@link Status#OK}, or the status of a refused post
   */
  default int refusal(int domain, Operation operation) {
    return Status.OK;
  }

  /** Returns whether sends and plain writes complete when they are posted, as on sockets, instead of on arrival. */
  default boolean completesEarly(int domain) {
    return false;
  }

  /** Returns nanoseconds, of which only differences are meaningful. */
  long nanoTime();

  /** Runs a task after a time. @return a call that cancels the task */
  Runnable after(int domain, long millis, Runnable task);
}
