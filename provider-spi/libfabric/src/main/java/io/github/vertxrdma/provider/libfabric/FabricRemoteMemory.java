package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.AbstractRemoteMemory;

final class FabricRemoteMemory extends AbstractRemoteMemory {
  final FabricDomain domain;
  final long address;
  final long key;

  FabricRemoteMemory(FabricDomain domain, long address, long length, long key) {
    super(length);
    this.domain = domain;
    this.address = address;
    this.key = key;
  }
}
