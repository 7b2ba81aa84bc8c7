package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.RemoteMemory;

/** An address and a key of a peer. */
final class VerbsRemoteMemory implements RemoteMemory {
  final long address;
  final int key;
  private final long length;
  private boolean open = true;

  VerbsRemoteMemory(long address, long length, int key) {
    this.address = address;
    this.length = length;
    this.key = key;
  }

  boolean covers(long offset, long bytes) {
    return open && offset >= 0 && bytes >= 0 && offset <= length - bytes;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void close() {
    open = false;
  }
}
