package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/** The last ended connections, to answer peers that still send messages for them or repeat a REQ. */
final class EndedConnections {
  private static final int LIMIT = 4096;
  /** Minimum pause between two RESETs for one connection: its peer may have many messages in flight. */
  private static final long RESET_PAUSE_NANOS = 100_000_000;

  static final class Ended {
    final EndpointAddress address;
    final long remoteId;
    final int remoteTag;
    final int version;
    private boolean resetSent;
    private long lastReset;

    Ended(RdmConnection connection) {
      address = connection.remote;
      remoteId = connection.remoteId;
      remoteTag = connection.remoteTag;
      version = connection.version;
    }

    /** Returns whether a RESET may be sent now, and records that it is sent. */
    boolean mayReset(long now) {
      if (resetSent && now - lastReset < RESET_PAUSE_NANOS) {
        return false;
      }
      resetSent = true;
      lastReset = now;
      return true;
    }
  }

  private static final class Bounded<V> extends LinkedHashMap<Long, V> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, V> eldest) {
      return size() > LIMIT;
    }
  }

  final Map<Long, Ended> connections = new Bounded<>();
  /** Answers to repeated REQs by the peer's connection id; null if a REQ gets none. */
  final Map<Long, ControlMessage> answers = new Bounded<>();
}
