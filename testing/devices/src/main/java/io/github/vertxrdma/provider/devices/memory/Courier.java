package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;

/**
 * Carries all traffic of an in-memory fabric, for simulations. A courier decides when a parcel arrives, whether it arrives, and which posts
 * are refused. A fabric without a courier delivers everything immediately. With a courier:
 * <ul>
 * <li>sends and writes are read from the sender's memory when they arrive, which is the latest time that a device may choose;
 * <li>reads and atomics are executed when their request arrives;
 * <li>the fabric has no clock and no thread.
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
   * Delivers a parcel now or later, or loses it. Parcels of one {@link Parcel#flow} between two domains arrive in the order of these calls,
   * if the capabilities promise that order.
   */
  void carry(Parcel parcel);

  /**
   * Called after all other checks of a post.
   *
   * @param domain number of the domain, counted from 0 in the order of opening
   * @return {@link Status#OK}, or the status that refuses the post
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

  /** Runs a task after a time. @return cancels the task */
  Runnable after(int domain, long millis, Runnable task);
}
