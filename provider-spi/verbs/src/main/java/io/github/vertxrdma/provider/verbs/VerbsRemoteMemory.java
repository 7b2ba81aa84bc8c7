package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.AbstractRemoteMemory;

final class VerbsRemoteMemory extends AbstractRemoteMemory {
  final long address;
  final int key;

  VerbsRemoteMemory(long address, long length, int key) {
    super(length);
    this.address = address;
    this.key = key;
  }
}
