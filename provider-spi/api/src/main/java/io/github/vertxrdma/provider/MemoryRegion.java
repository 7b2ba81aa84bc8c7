package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Memory that the device knows; ibv_reg_mr(3), fi_mr_reg(3). Used from any thread. */
public interface MemoryRegion extends AutoCloseable {

  /** The registered memory. */
  MemorySegment segment();

  /** Bytes. */
  long size();

  Set<Access> access();

  /** Whether operations of this side may use a range: it lies within, and the region is open as far as can be seen from here. */
  default boolean covers(long offset, long length) {
    return offset >= 0 && length >= 0 && offset <= size() - length;
  }

  /** The base that a peer counts offsets from; opaque to it, unless it is a program in C: docs/raw.adoc has it for each fabric. */
  long remoteAddress();

  /** The key that peers need; opaque, of any length. Where it is a number of the device's own it is big-endian. */
  byte[] remoteKey();

  /** Deregisters. No operation may use it any more: on RC and tcp a peer that still does breaks its connection. Idempotent. */
  @Override
  void close();
}
