package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;

/** Memory of a peer that this side may use; fi_mr_map_raw(3). */
public interface RemoteMemory extends AutoCloseable {

  /** Returns the number of bytes. A post beyond them returns {@link Status#REMOTE_RANGE}. */
  long length();

  default boolean covers(long offset, long bytes) {
    return offset >= 0 && bytes >= 0 && offset <= length() - bytes;
  }

  /**
   * Returns the peer's memory, mapped into this process by the first operation on it; null before, and without {@link Capabilities#maps}.
   * Read-only unless this side may write it. An access after {@link #close} throws {@link IllegalStateException}.
   */
  default MemorySegment mapped() {
    return null;
  }

  /**
   * Frees the fabric's resources. No operation in flight may use the memory. Idempotent.
   *
   * @throws IllegalStateException if a thread is in a system call on {@link #mapped}. Call this method again then
   */
  @Override
  void close();
}
