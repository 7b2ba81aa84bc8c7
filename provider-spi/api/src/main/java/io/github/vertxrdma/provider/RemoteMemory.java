package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;

/** Memory of a peer that this side may use, with the resources that the fabric needs to name it (fi_mr_map_raw(3)). */
public interface RemoteMemory extends AutoCloseable {

  /** Returns the number of usable bytes from its start; posts beyond are refused with {@link Status#REMOTE_RANGE}. */
  long length();

  /** Returns whether a range is within {@link #length()}, and this object is open. */
  default boolean covers(long offset, long bytes) {
    return offset >= 0 && bytes >= 0 && offset <= length() - bytes;
  }

  /**
   * Returns the peer's memory in this process, from its start, if the fabric {@link Capabilities#maps}: known once an operation on it has
   * completed. Read-only unless this side may write it. An access after {@link #close} throws an {@link IllegalStateException}.
   *
   * @return null if it is not mapped
   */
  default MemorySegment mapped() {
    return null;
  }

  /**
   * Frees the mapped key. Idempotent; no operation may use it any more.
   *
   * @throws IllegalStateException if a thread is executing a system call on {@link #mapped}: close it again then
   */
  @Override
  void close();
}
