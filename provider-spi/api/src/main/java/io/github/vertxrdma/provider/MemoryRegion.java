package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Registered memory; ibv_reg_mr(3), fi_mr_reg(3). Thread-safe. */
public interface MemoryRegion extends AutoCloseable {

  MemorySegment segment();

  long size();

  Set<Access> access();

  /** Returns whether the region contains this range and is not known to be closed. */
  default boolean covers(long offset, long length) {
    return offset >= 0 && length >= 0 && offset <= size() - length;
  }

  /** Returns the remote address of the region's first byte; docs/raw.adoc describes it for each fabric. */
  long remoteAddress();

  /** Returns the key for peers. Its length depends on the fabric. Numeric keys are big-endian. */
  byte[] remoteKey();

  /** Deregisters the memory. On RC and tcp, a later access of a peer fails the connection. Idempotent. */
  @Override
  void close();
}
