package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;

/**
 * Carries all traffic of an in-memory fabric, for simulations. A courier decides when a parcel arrives, whether it arrives, and which posts
 * are refused. A fabric without a courier hands everything over at once. With a courier:
 * <ul>
 * <li>sends and writes are read from the sender's memory when they arrive, which is the latest time that a device may choose;
 * <li>reads and atomics are executed when their request arrives;
 * <li>the fabric has no clock and no thread.
 * </ul>
 */
public interface Courier {

  /** Kinds of parcels. */
  enum Cargo {
    /** A step of connecting two endpoints. */
    CONNECTION,
    /** The notice that the other endpoint has ended. */
    END,
    MESSAGE,
    /** A write, read or atomic on its way to the target memory. */
    ACCESS,
    /** Acknowledgement of a message, or the result of an access. */
    ANSWER
  }

  /**
   * Takes a parcel. The courier delivers it now or later, or loses it. Parcels of one {@link Parcel#flow} from one domain to another arrive
   * in the order of these calls, as far as the capabilities of the fabric promise it.
   */
  void carry(Parcel parcel);

  /**
   * Returns whether a post is refused. Called for each post that passed all other checks.
   *
   * @param domain the number of the posting domain; the domains of a fabric are numbered from 0 in the order in which they were opened
   * @return {@link Status#OK}, or the status that the post returns
   */
  default int refusal(int domain, Operation operation) {
    return Status.OK;
  }

  /** Returns whether sends and plain writes of a domain complete when they are posted, as on sockets, not when they have arrived. */
  default boolean completesEarly(int domain) {
    return false;
  }

  /** Returns the time of what {@link #after} waits for, in nanoseconds of which only differences count. */
  long nanoTime();

  /** Runs a task of a domain after a time. @return cancels the task */
  Runnable after(int domain, long millis, Runnable task);
}
