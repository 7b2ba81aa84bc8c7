package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;

/** Memory of a peer that this side may use; fi_mr_map_raw(3). */
public interface RemoteMemory extends AutoCloseable {

  /** Returns the number of usable bytes; posts beyond are refused with {@link Status#REMOTE_RANGE}. */
  long length();

  default boolean covers(long offset, long bytes) {
    return offset >= 0 && bytes >= 0 && offset <= length() - bytes;
  }

  /**
   * Returns the peer's memory in this process, if the fabric {@link Capabilities#maps} it and an operation on it has completed; otherwise
   * null. Read-only unless this side may write it. An access after {@link #close} throws an {@link IllegalStateException}.
   */
  default MemorySegment mapped() {
    return null;
  }

  /**
   * Frees the key. No operation may use it any more. Idempotent.
   *
   * @throws IllegalStateException if a thread is in a system call on {@link #mapped}: close it again then
   */
  @Override
  void close();
}
