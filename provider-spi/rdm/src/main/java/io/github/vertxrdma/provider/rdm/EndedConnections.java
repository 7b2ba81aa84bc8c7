package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/** The last connections that ended, so that peers who do not know it yet can be told, and late copies of a REQ are recognised. */
final class EndedConnections {
  private static final int LIMIT = 4096;
  /** A peer may have many messages under way; one RESET is enough for all that come within this time. */
  private static final long RESET_PAUSE_NANOS = 100_000_000;

  /** The other end of one. */
  static final class Ended {
    final EndpointAddress address;
    final long remoteId;
    final int remoteTag;
    private boolean told;
    private long lastReset;

    Ended(RdmConnection connection) {
      address = connection.remote;
      remoteId = connection.remoteId;
      remoteTag = connection.remoteTag;
    }

    /** Whether to tell the peer now. */
    boolean tell(long now) {
      if (told && now - lastReset < RESET_PAUSE_NANOS) {
        return false;
      }
      told = true;
      lastReset = now;
      return true;
    }
  }

  /** Forgets the oldest. */
  private static final class Bounded<V> extends LinkedHashMap<Long, V> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, V> eldest) {
      return size() > LIMIT;
    }
  }

  /** By their own ids. */
  final Map<Long, Ended> connections = new Bounded<>();
  /** The answer to copies of a REQ that was answered for good, by its id; null for none. */
  final Map<Long, ControlMessage> answers = new Bounded<>();
}
