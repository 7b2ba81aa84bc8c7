package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;

public interface RmaHandler {

  /** Copies the bytes of a write to staging memory. An exception fails the operation, and nothing is written. */
  default void fill(MemorySegment memory, long at, long remoteOffset, int length) {
    throw new IllegalStateException("this operation has no data to write");
  }

  /** Called with the bytes of a read through staging memory, or the old value of an atomic. @param memory valid during the call */
  default void read(MemorySegment memory, long at, long remoteOffset, int length) {
  }

  /**
   * Sets the target of a read from mapped memory with {@link WorkRequest#into}; {@link #read} is then not called.
   *
   * @return false to read through staging memory
   */
  default boolean readsInto(WorkRequest work) {
    return false;
  }

  void done(Throwable failure);

  /** Called after {@link #done}, when the fabric has released the memory of the operation. */
  default void released() {
  }

  default boolean cancelled() {
    return false;
  }
}
