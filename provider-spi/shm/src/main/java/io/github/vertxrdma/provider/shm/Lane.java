package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.EndpointAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The way to a peer's listeners through the ring of two queues that share memory already: a connection is asked for, and answered, without
 * a socket. Confined to the queue's thread.
 */
final class Lane {
  /** Listeners of a peer that it remembers; the others are asked by their sockets. */
  static final int MOST_LISTENERS = 64;

  private final ShmQueue queue;
  private final Peering peering;
  /** Numbers of the peer's listeners that accepted before and may be asked here; the one known longest goes first. */
  private final Map<EndpointAddress, Integer> listeners = new LinkedHashMap<>();

  Lane(ShmQueue queue, Peering peering) {
    this.queue = queue;
    this.peering = peering;
  }

  boolean leadsTo(EndpointAddress address) {
    return listeners.containsKey(address) && !peering.isOver();
  }

  /** Asks the listener. @param connection the asker's number of it @return false if there is no room now */
  boolean ask(ShmEndpoint endpoint, int connection, long token, byte[] privateData) {
    int number = listeners.get(endpoint.remoteAddress());
    if (!peering.output().sendConnection(Record.CONNECT, number, 0, connection, token, privateData)) {
      return false;
    }
    // Whoever waits for an answer keeps the peering.
    peering.add(endpoint);
    return true;
  }

  /** An endpoint waits for no answer any more. */
  void leave(ShmEndpoint endpoint) {
    peering.leave(endpoint, 0, false);
  }

  /** Carries out a record about a connection to be. @return false if it is about another thing */
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
      peering.output().askBySocket(connection);
    } else {
      asked.asked(peering, connection, record.readInt(20), record.readLong(24), record.readData(Record.CONNECTION));
    }
  }

  private void accepted(RingReader record) {
    ShmEndpoint endpoint = queue.connections().find(record.to());
    int theirs = record.readInt(16);
    if (endpoint == null || endpoint.connector() == null || endpoint.connector().token() != record.readLong(24)) {
      // Nobody wants that any more, or it is of one who was not asked.
      peering.output().goodbye(theirs);
      return;
    }
    remember(endpoint.remoteAddress(), record.immediate());
    endpoint.established(peering, theirs, record.readInt(20), record.readData(Record.CONNECTION));
  }

  private void remember(EndpointAddress listener, int number) {
    if (number == 0) {
      listeners.remove(listener);
      return;
    }
    listeners.put(listener, number);
    if (listeners.size() > MOST_LISTENERS) {
      listeners.remove(listeners.keySet().iterator().next());
    }
  }

  /** The endpoint that waits for an answer through this ring; null if there is none. */
  private ShmEndpoint asker(RingReader record) {
    ShmEndpoint endpoint = queue.connections().find(record.to());
    return endpoint != null && endpoint.connector() != null && endpoint.connector().isBy(this) ? endpoint : null;
  }
}
