package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.RemoteMemory;

/** Memory of a peer: where it starts for the wire, and the key in the form that posts take. */
final class FabricRemoteMemory implements RemoteMemory {
  final FabricDomain domain;
  final long address;
  final long key;
  private final long length;
  private final RemoteKeys keys;
  private final HostKeys.Entry published;
  private volatile boolean open = true;

  FabricRemoteMemory(FabricDomain domain, long address, long length, long key, HostKeys.Entry published, RemoteKeys keys) {
    this.published = published;
    this.domain = domain;
    this.address = address;
    this.length = length;
    this.key = key;
    this.keys = keys;
  }

  boolean covers(long offset, long bytes) {
    return open && offset >= 0 && bytes >= 0 && offset <= length - bytes;
  }

  /** Whether the owner lets it happen, as far as can be seen from here; otherwise the fabric tells. */
  boolean permits(Operation operation, long offset, long bytes) {
    return published == null || published.permits(operation, address + offset, bytes);
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void close() {
    if (open) {
      open = false;
      keys.unmap(key);
    }
  }
}
