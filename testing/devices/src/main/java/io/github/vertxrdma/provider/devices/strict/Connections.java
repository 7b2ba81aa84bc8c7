package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Table of the connections in this process, by address. A sender finds the count of its peer's receives here. */
final class Connections {
  private record Ends(EndpointAddress local, EndpointAddress remote) {
  }

  private record Shared(Ledger.Claims claims, int users) {
  }

  private static final Map<Ends, Shared> INCOMING = new ConcurrentHashMap<>();

  private Connections() {
  }

  private static Ends ends(Endpoint endpoint, boolean reversed) {
    EndpointAddress local = endpoint.localAddress();
    EndpointAddress remote = endpoint.remoteAddress();
    return local == null || remote == null ? null : reversed ? new Ends(remote, local) : new Ends(local, remote);
  }

  /** Adds a receiving endpoint. Endpoints with the same two addresses share one receive queue and its counts. */
  static Ledger.Claims opened(Endpoint endpoint, Ledger ledger) {
    Ends ends = ends(endpoint, false);
    return ends == null ? new Ledger.Claims(ledger) : INCOMING.compute(ends, (key, known) -> known == null
      ? new Shared(new Ledger.Claims(ledger), 1) : new Shared(known.claims, known.users + 1)).claims;
  }

  static void closed(Endpoint endpoint) {
    Ends ends = ends(endpoint, false);
    if (ends != null) {
      INCOMING.computeIfPresent(ends, (key, known) -> {
        if (known.users == 1) {
          known.claims.clear();
          return null;
        }
        return new Shared(known.claims, known.users - 1);
      });
    }
  }

  /** Returns the count of messages in flight to the peer, or null if the peer is in another process. */
  static Ledger.Claims outgoing(Endpoint endpoint) {
    Ends ends = ends(endpoint, true);
    Shared shared = ends == null ? null : INCOMING.get(ends);
    return shared == null ? null : shared.claims;
  }
}
