package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.RemoteMemory;

/** A peer's memory as its key names it. */
final class InMemoryRemote implements RemoteMemory {
  final long address;
  /** Boxed once, since posts look it up. */
  final Long key;
  private final long length;
  private boolean closed;

  InMemoryRemote(long address, long length, long key) {
    this.address = address;
    this.length = length;
    this.key = key;
  }

  boolean covers(long offset, long bytes) {
    return !closed && offset >= 0 && bytes >= 0 && offset <= length - bytes;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void close() {
    closed = true;
  }
}
