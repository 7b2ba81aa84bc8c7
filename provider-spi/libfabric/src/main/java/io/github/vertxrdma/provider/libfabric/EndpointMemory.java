package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.util.Set;

/**
 * Binds memory regions to an endpoint, as {@code cxi} requires; FI_MR_ENDPOINT of fi_mr(3). Such a domain has only one endpoint, because a
 * region has one key. Memory that no peer uses is not registered. Thread-safe.
 */
final class EndpointMemory {
  private final Libfabric library;
  private final String device;
  private Fid endpoint;

  EndpointMemory(Libfabric library, String device) {
    this.library = library;
    this.device = device;
  }

  /** Stores the domain's endpoint. Throws {@code LIMIT} if the domain already has one. */
  synchronized void opened(Fid made) {
    if (endpoint != null) {
      throw new ProviderException(Reason.LIMIT,
        device + ": cannot open a second endpoint: on this device registered memory belongs to one endpoint, which is already open. "
          + "Use this device from one event loop only.");
    }
    endpoint = made;
  }

  synchronized void closed(Fid gone) {
    if (endpoint == gone) {
      endpoint = null;
    }
  }

  static boolean registers(Set<Access> access) {
    return access.contains(Access.REMOTE_READ) || access.contains(Access.REMOTE_WRITE) || access.contains(Access.REMOTE_ATOMIC);
  }

  /** Returns the endpoint to bind new regions to. It is closed after the regions. */
  synchronized Fid require() {
    if (endpoint == null) {
      throw new ProviderException(Reason.INVALID, device + ": cannot register memory: on this device memory belongs to an endpoint, "
        + "and none is open. Listen or connect before you share memory");
    }
    return endpoint;
  }

  void bind(Fid region, Fid to) {
    String what = device + ": binding memory to the endpoint";
    FabricErrors.check(library, region.bind(to, 0), what);
    FabricErrors.check(library, region.control(Fi.ENABLE, 0), what);
  }
}
