package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Registered memory; ibv_reg_mr(3), fi_mr_reg(3). Thread-safe. */
public interface MemoryRegion extends AutoCloseable {

  MemorySegment segment();

  long size();

  Set<Access> access();

  /** Returns whether operations of this side may use a range, as far as this thread sees. */
  default boolean covers(long offset, long length) {
    return offset >= 0 && length >= 0 && offset <= size() - length;
  }

  /** Returns the base from which a peer counts offsets; docs/raw.adoc describes it for each fabric. */
  long remoteAddress();

  /** Returns the key for peers, of any length. A number of the device is big-endian. */
  byte[] remoteKey();

  /** Deregisters the memory. On RC and tcp a later operation of a peer fails its connection. Idempotent. */
  @Override
  void close();
}
