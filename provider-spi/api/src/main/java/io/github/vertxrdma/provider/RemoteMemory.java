package io.github.vertxrdma.provider;

/** Memory of a peer that this side may use; holds whatever the fabric needs to name it (fi_mr_map_raw(3)). */
public interface RemoteMemory extends AutoCloseable {

  /** Bytes from its start that may be used; posts beyond are refused here with {@link Status#REMOTE_RANGE}. */
  long length();

  /** Whether a range lies within {@link #length()}, and this is open. */
  default boolean covers(long offset, long bytes) {
    return offset >= 0 && bytes >= 0 && offset <= length() - bytes;
  }

  /** Frees the mapped key. Idempotent; no operation may use it any more. */
  @Override
  void close();
}
