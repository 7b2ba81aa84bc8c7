package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.AbstractRemoteMemory;
import io.github.vertxrdma.provider.Operation;

/** Memory of a peer: where it starts for the wire, and the key in the form that posts take. */
final class FabricRemoteMemory extends AbstractRemoteMemory {
  final FabricDomain domain;
  final long address;
  final long key;
  private final RemoteKeys keys;
  private final HostKeys.Entry published;

  FabricRemoteMemory(FabricDomain domain, long address, long length, long key, HostKeys.Entry published, RemoteKeys keys) {
    super(length);
    this.published = published;
    this.domain = domain;
    this.address = address;
    this.key = key;
    this.keys = keys;
  }

  /** Whether the owner lets it happen, as far as can be seen from here; otherwise the fabric tells. */
  boolean permits(Operation operation, long offset, long bytes) {
    return published == null || published.permits(operation, address + offset, bytes);
  }

  @Override
  protected void unmap() {
    keys.unmap(key, published);
  }
}
