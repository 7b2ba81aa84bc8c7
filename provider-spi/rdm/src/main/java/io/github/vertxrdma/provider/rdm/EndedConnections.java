package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/** Connections that ended last, so that peers that do not know it yet are notified, and late repetitions of a REQ are recognised. */
final class EndedConnections {
  private static final int LIMIT = 4096;
  /** Time for which one RESET is sufficient, because a peer may have many messages in flight. */
  private static final long RESET_PAUSE_NANOS = 100_000_000;

  /** The other end of an ended connection. */
  static final class Ended {
    final EndpointAddress address;
    final long remoteId;
    final int remoteTag;
    final int version;
    private boolean told;
    private long lastReset;

    Ended(RdmConnection connection) {
      address = connection.remote;
      remoteId = connection.remoteId;
      remoteTag = connection.remoteTag;
      version = connection.version;
    }

    /** Returns whether to notify the peer now. */
    boolean tell(long now) {
      if (told && now - lastReset < RESET_PAUSE_NANOS) {
        return false;
      }
      told = true;
      lastReset = now;
      return true;
    }
  }

  /** A map that drops its oldest entry. */
  private static final class Bounded<V> extends LinkedHashMap<Long, V> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, V> eldest) {
      return size() > LIMIT;
    }
  }

  /** By their own ids. */
  final Map<Long, Ended> connections = new Bounded<>();
  /** Answers to repetitions of a REQ that has its final answer, by its id; null for none. */
  final Map<Long, ControlMessage> answers = new Bounded<>();
}
