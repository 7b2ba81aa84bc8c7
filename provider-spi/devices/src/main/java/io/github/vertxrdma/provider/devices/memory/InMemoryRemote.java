package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.AbstractRemoteMemory;

/** A peer's memory as its key names it. */
final class InMemoryRemote extends AbstractRemoteMemory {
  final long address;
  /** Boxed once, since posts look it up. */
  final Long key;

  InMemoryRemote(long address, long length, long key) {
    super(length);
    this.address = address;
    this.key = key;
  }
}
