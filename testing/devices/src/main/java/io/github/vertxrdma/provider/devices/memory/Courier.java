package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;

/**
 * Carries everything that crosses an in-memory fabric, for simulations: it decides when a parcel arrives, whether at all, and what is
 * refused. A fabric without one hands over at once. With one, sends and writes are read from the sender's memory when they arrive, as late
 * as a device may, reads and atomics are executed when their request arrives, and nothing of the fabric has a clock or a thread of its own.
 */
public interface Courier {

  /** Kinds of parcels. */
  enum Cargo {
    /** A step of connecting two endpoints. */
    CONNECTION,
    /** News that the other endpoint is over. */
    END,
    MESSAGE,
    /** A write, read or atomic on its way to the memory that it is for. */
    ACCESS,
    /** Acknowledgement of a message, or the result of an access. */
    ANSWER
  }

  /**
   * Takes a parcel, to deliver it now or later, or to lose it. Parcels of one {@link Parcel#flow} from one domain to another are to arrive
   * in the order in which they were given, as far as the fabric's capabilities promise it.
   */
  void carry(Parcel parcel);

  /**
   * Asked for each post that is otherwise in order.
   *
   * @param domain that posts; domains of a fabric are numbered from 0 in the order in which they were opened
   * @return {@link Status#OK}, or what the post returns
   */
  default int refusal(int domain, Operation operation) {
    return Status.OK;
  }

  /** Tells whether sends and plain writes of a domain complete when they are posted, as on sockets, not when they have arrived. */
  default boolean completesEarly(int domain) {
    return false;
  }

  /** Returns the time of what {@link #after} waits for, in nanoseconds of which only differences count. */
  long nanoTime();

  /** Runs a task of a domain after a time. @return cancels it */
  Runnable after(int domain, long millis, Runnable task);
}
