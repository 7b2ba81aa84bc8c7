package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.RemoteMemory;

/** A peer's memory; with a key or address that names none, posts that use it break the connection. */
final class StrictRemote implements RemoteMemory {
  /** Null for a forged key. */
  final RemoteMemory raw;
  private final StrictRegion region;
  private final long base;
  private final long length;
  private boolean closed;

  StrictRemote(RemoteMemory raw, StrictRegion region, long base, long length) {
    this.raw = raw;
    this.region = region;
    this.base = base;
    this.length = length;
  }

  boolean covers(long offset, long bytes) {
    return !closed && offset >= 0 && bytes >= 0 && offset <= length - bytes;
  }

  /** Whether the owner would let it. */
  boolean allowed(Access right, long offset, long bytes) {
    return raw != null && region.allows(right, base + offset, bytes);
  }

  boolean aligned(long offset) {
    return (region == null ? offset : region.remoteAddress() + base + offset & 7) % 8 == 0;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      if (raw != null) {
        raw.close();
      }
    }
  }
}
