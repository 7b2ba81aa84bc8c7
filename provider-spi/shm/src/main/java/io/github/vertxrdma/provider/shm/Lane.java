package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.EndpointAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/** Connects endpoints of two completion queues that already share ring buffers, without another socket. */
final class Lane {
  static final int MOST_LISTENERS = 64;

  private final ShmQueue queue;
  private final Peering peering;
  private final Map<EndpointAddress, Integer> listeners = new LinkedHashMap<>();

  Lane(ShmQueue queue, Peering peering) {
    this.queue = queue;
    this.peering = peering;
  }

  boolean leadsTo(EndpointAddress address) {
    return listeners.containsKey(address) && !peering.isOver();
  }

  /**
   * Requests a connection.
   *
   * @return false if the ring has no room now
   */
  boolean ask(ShmEndpoint endpoint, int connection, long token, byte[] privateData) {
    int number = listeners.get(endpoint.remoteAddress());
    if (!peering.output.sendConnection(Record.CONNECT, number, 0, connection, token, privateData)) {
      return false;
    }
    // Keeps the rings open until the answer arrives.
    peering.add(endpoint);
    return true;
  }

  /** Permits an answer through the rings to a request that is sent over a socket. */
  void offer(ShmEndpoint endpoint) {
    peering.add(endpoint);
  }

  void leave(ShmEndpoint endpoint) {
    peering.leave(endpoint, 0, false);
  }

  /** Handles a record of the connection handshake. Returns false for other records. */
  boolean handle(RingReader record) {
    switch (record.type()) {
      case Record.CONNECT -> asked(record);
      case Record.ACCEPT -> accepted(record);
      case Record.REJECT -> {
        ShmEndpoint asker = asker(record);
        if (asker != null) {
          asker.rejected(record.readData(Record.HEADER));
        }
      }
      case Record.ASK_BY_SOCKET -> {
        ShmEndpoint asker = asker(record);
        if (asker != null) {
          listeners.remove(asker.remoteAddress());
          asker.connector().askBySocket();
        }
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  private void asked(RingReader record) {
    ShmListener asked = queue.listener(record.to());
    int connection = record.readInt(16);
    if (asked == null || record.length() - Record.CONNECTION > ShmDevice.PRIVATE_DATA) {
      peering.output.askBySocket(connection);
    } else {
      asked.asked(peering, connection, record.readInt(20), record.readLong(24), record.readData(Record.CONNECTION));
    }
  }

  private void accepted(RingReader record) {
    ShmEndpoint endpoint = queue.connections.find(record.to());
    int theirs = record.readInt(16);
    if (endpoint == null || endpoint.connector() == null || !endpoint.connector().expects(this, record.readLong(24))) {
      peering.output.goodbye(theirs);
      return;
    }
    remember(endpoint.remoteAddress(), record.immediate());
    endpoint.established(peering, theirs, record.readInt(20), record.readData(Record.CONNECTION));
  }

  void remember(EndpointAddress listener, int number) {
    if (number == 0) {
      listeners.remove(listener);
      return;
    }
    listeners.put(listener, number);
    if (listeners.size() > MOST_LISTENERS) {
      listeners.remove(listeners.keySet().iterator().next());
    }
  }

  private ShmEndpoint asker(RingReader record) {
    ShmEndpoint endpoint = queue.connections.find(record.to());
    return endpoint != null && endpoint.connector() != null && endpoint.connector().isBy(this) ? endpoint : null;
  }
}
