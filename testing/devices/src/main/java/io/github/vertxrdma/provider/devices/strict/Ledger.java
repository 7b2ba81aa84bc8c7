package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the posted receives of a queue and the messages in flight to it, to detect a message without a receive. Changed by the threads of
 * both ends.
 */
final class Ledger {
  private record Ends(EndpointAddress local, EndpointAddress remote) {
  }

  private record Shared(Claims claims, int users) {
  }

  /** Connections of this process by address. A sender finds the count of its peer's receives here. */
  private static final Map<Ends, Shared> INCOMING = new ConcurrentHashMap<>();

  private final AtomicInteger posted = new AtomicInteger();
  private final AtomicInteger claimed = new AtomicInteger();

  static final class Claims {
    private final Ledger ledger;
    private final AtomicInteger number = new AtomicInteger();

    Claims(Ledger ledger) {
      this.ledger = ledger;
    }

    /** Counts a message in flight. @return false if no receive is left for the message */
    boolean claim() {
      number.incrementAndGet();
      return ledger.claimed.incrementAndGet() <= ledger.posted.get();
    }

    /** Uncounts a message that arrived or was not sent. */
    void release() {
      if (number.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        ledger.claimed.decrementAndGet();
      }
    }

    void clear() {
      ledger.claimed.addAndGet(-number.getAndSet(0));
    }
  }

  void posted() {
    posted.incrementAndGet();
  }

  void completed() {
    posted.decrementAndGet();
  }

  int outstanding() {
    return posted.get();
  }

  private static Ends ends(Endpoint endpoint, boolean reversed) {
    EndpointAddress local = endpoint.localAddress();
    EndpointAddress remote = endpoint.remoteAddress();
    return local == null || remote == null ? null : reversed ? new Ends(remote, local) : new Ends(local, remote);
  }

  /** Adds a receiving endpoint. Endpoints with the same two addresses share one receive queue and its counts. */
  static Claims opened(Endpoint endpoint, Ledger ledger) {
    Ends ends = ends(endpoint, false);
    return ends == null ? new Claims(ledger) : INCOMING.compute(ends, (key, known) -> known == null
      ? new Shared(new Claims(ledger), 1) : new Shared(known.claims, known.users + 1)).claims;
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
  static Claims outgoing(Endpoint endpoint) {
    Ends ends = ends(endpoint, true);
    Shared shared = ends == null ? null : INCOMING.get(ends);
    return shared == null ? null : shared.claims;
  }
}
