package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Memory that is registered with a device; ibv_reg_mr(3), fi_mr_reg(3). Thread-safe. */
public interface MemoryRegion extends AutoCloseable {

  /** Returns the registered memory. */
  MemorySegment segment();

  /** Returns its size in bytes. */
  long size();

  Set<Access> access();

  /**
   * Returns whether operations of this side may use a range: it is within the region, and the region is open as far as this thread sees.
   */
  default boolean covers(long offset, long length) {
    return offset >= 0 && length >= 0 && offset <= size() - length;
  }

  /**
   * Returns the base from which a peer counts offsets; opaque to it, unless it is a program in C: docs/raw.adoc describes it for each
   * fabric.
   */
  long remoteAddress();

  /** Returns the key for peers; opaque, of any length. If it is a number of the device it is big-endian. */
  byte[] remoteKey();

  /** Deregisters the memory. No operation may use it any more: on RC and tcp the connection of a peer that still does fails. Idempotent. */
  @Override
  void close();
}
