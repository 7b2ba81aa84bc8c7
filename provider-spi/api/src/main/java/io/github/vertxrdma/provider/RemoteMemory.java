package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;

/** Memory of a peer that this side may use; holds whatever the fabric needs to name it (fi_mr_map_raw(3)). */
public interface RemoteMemory extends AutoCloseable {

  /** Bytes from its start that may be used; posts beyond are refused here with {@link Status#REMOTE_RANGE}. */
  long length();

  /** Whether a range lies within {@link #length()}, and this is open. */
  default boolean covers(long offset, long bytes) {
    return offset >= 0 && bytes >= 0 && offset <= length() - bytes;
  }

  /**
   * The peer's memory in this process, from its start, where the fabric {@link Capabilities#maps}: known once an operation on it has
   * completed. Read-only unless this side may write it. Whoever accesses it after {@link #close} gets an {@link IllegalStateException}.
   *
   * @return null if it is not mapped
   */
  default MemorySegment mapped() {
    return null;
  }

  /**
   * Frees the mapped key. Idempotent; no operation may use it any more.
   *
   * @throws IllegalStateException if a thread is in the middle of a system call on {@link #mapped}: it is to be closed again then
   */
  @Override
  void close();
}
