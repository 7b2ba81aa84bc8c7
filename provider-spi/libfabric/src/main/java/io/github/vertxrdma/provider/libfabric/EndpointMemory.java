package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.util.Set;

/**
 * Memory that belongs to an endpoint; fi_mr(3) FI_MR_ENDPOINT, which {@code cxi} requires. A region has one key, so such a domain has one
 * endpoint. Memory that no peer uses needs no registration. Thread-safe.
 */
final class EndpointMemory {
  private final Libfabric library;
  private final String device;
  private Fid endpoint;

  EndpointMemory(Libfabric library, String device) {
    this.library = library;
    this.device = device;
  }

  /** @throws ProviderException {@code LIMIT} if there is an endpoint already */
  synchronized void opened(Fid made) {
    if (endpoint != null) {
      throw new ProviderException(Reason.LIMIT,
        device + ": cannot open a second endpoint: memory belongs to one endpoint here, and that one"
          + " is open. Let one event loop use this device.");
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

  /** Returns the endpoint of new regions, which is not closed before them. */
  synchronized Fid require() {
    if (endpoint == null) {
      throw new ProviderException(Reason.INVALID, device + ": memory belongs to an endpoint here, and none is open — listen or connect"
        + " before memory is shared");
    }
    return endpoint;
  }

  void bind(Fid region, Fid to) {
    String what = device + ": giving memory to the endpoint";
    FabricErrors.check(library, region.bind(to, 0), what);
    FabricErrors.check(library, region.control(Fi.ENABLE, 0), what);
  }
}
