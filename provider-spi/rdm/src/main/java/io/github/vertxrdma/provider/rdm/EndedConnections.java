package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/** The last connections that ended, so that peers who do not know it yet can be told, and late copies of a REQ are recognised. */
final class EndedConnections {
  private static final int LIMIT = 4096;
  /** A peer may have many messages under way; one RESET is enough for all that come within this time. */
  private static final long RESET_PAUSE_NANOS = 100_000_000;

  /** Where the other end of one is. */
  static final class Ended {
    final EndpointAddress address;
    final long remoteId;
    private long lastReset;

    private Ended(EndpointAddress address, long remoteId) {
      this.address = address;
      this.remoteId = remoteId;
      lastReset = System.nanoTime() - RESET_PAUSE_NANOS;
    }

    /** Whether to tell the peer now. */
    boolean tell() {
      long now = System.nanoTime();
      if (now - lastReset < RESET_PAUSE_NANOS) {
        return false;
      }
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

  private final Bounded<Ended> connections = new Bounded<>();
  private final Bounded<ControlMessage> answers = new Bounded<>();

  void add(long id, EndpointAddress address, long remoteId) {
    connections.put(id, new Ended(address, remoteId));
  }

  /** The connection of that own id; null if it is not known. */
  Ended get(long id) {
    return connections.get(id);
  }

  /** A REQ of that id was answered for good. @param answer what to say to its copies, null for nothing */
  void answered(long reqId, ControlMessage answer) {
    answers.put(reqId, answer);
  }

  boolean isAnswered(long reqId) {
    return answers.containsKey(reqId);
  }

  ControlMessage answer(long reqId) {
    return answers.get(reqId);
  }
}
