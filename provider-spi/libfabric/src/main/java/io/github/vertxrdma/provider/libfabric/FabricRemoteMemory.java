package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.AbstractRemoteMemory;

final class FabricRemoteMemory extends AbstractRemoteMemory {
  final FabricDomain domain;
  final long address;
  final long key;
  private final RemoteKeys keys;

  FabricRemoteMemory(FabricDomain domain, long address, long length, long key, RemoteKeys keys) {
    super(length);
    this.domain = domain;
    this.address = address;
    this.key = key;
    this.keys = keys;
  }

  @Override
  protected void unmap() {
    keys.unmap(key);
  }
}
