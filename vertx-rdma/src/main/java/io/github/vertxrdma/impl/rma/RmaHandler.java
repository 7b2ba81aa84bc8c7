package io.github.vertxrdma.impl.rma;

import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;

/** Whoever waits for a remote memory operation; called on the loop. */
public interface RmaHandler {

  /**
   * Puts the bytes of a staged write; if it throws that fails, and nothing is written.
   *
   * @param at where in the memory
   * @param remoteOffset where they go
   */
  default void fill(MemorySegment memory, long at, long remoteOffset, int length) {
    throw new IllegalStateException("nothing to write");
  }

  /**
   * Takes the bytes of a staged read, or the old value of an atomic.
   *
   * @param memory valid during the call
   * @param remoteOffset where they come from
   */
  default void read(MemorySegment memory, long at, long remoteOffset, int length) {
  }

  /**
   * Names the memory that a read copies to where the peer's memory is mapped, by {@link WorkRequest#into}. {@link #read} is not called
   * then.
   *
   * @return false if it goes through staging memory
   */
  default boolean readsInto(WorkRequest work) {
    return false;
  }

  /** The operation is over. @param failure null if it succeeded */
  void done(Throwable failure);

  /** The fabric touches no memory of it any more: directly after {@link #done}, or later if the link ended before its completion came. */
  default void released() {
  }

  /** Tells whether nobody waits for it any more: it is then not posted if it has not been. */
  default boolean cancelled() {
    return false;
  }
}
