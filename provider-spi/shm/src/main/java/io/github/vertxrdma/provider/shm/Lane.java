package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.EndpointAddress;

/**
 * The way to a listener through the ring of two queues that share memory already: a connection is asked for, and answered, without a socket.
 * Confined to the queue's thread.
 */
final class Lane {
  private final ShmQueue queue;
  private final Peering peering;
  /** Address of the peer's listener that accepted last; null for none. */
  private EndpointAddress listener;
  /** Its number, 0 if it is to be asked by its socket. */
  private int number;

  Lane(ShmQueue queue, Peering peering) {
    this.queue = queue;
    this.peering = peering;
  }

  boolean leadsTo(EndpointAddress address) {
    return number != 0 && !peering.isOver() && listener.equals(address);
  }

  /** Asks the listener. @param connection the asker's number of it @return false if there is no room now */
  boolean ask(ShmEndpoint endpoint, int connection, byte[] privateData) {
    if (!peering.output().sendConnection(Record.CONNECT, number, 0, connection, privateData)) {
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
        Connector waiting = waiting(record);
        if (waiting != null) {
          waiting.rejected(record.readData(Record.HEADER));
        }
      }
      case Record.ASK_BY_SOCKET -> {
        Connector waiting = waiting(record);
        if (waiting != null) {
          number = 0;
          waiting.askBySocket();
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
      asked.asked(peering, connection, record.readInt(20), record.readData(Record.CONNECTION));
    }
  }

  private void accepted(RingReader record) {
    ShmEndpoint endpoint = queue.connections().find(record.to());
    int theirs = record.readInt(16);
    if (endpoint == null || endpoint.connector() == null) {
      // Nobody wants that any more.
      peering.output().goodbye(theirs);
      return;
    }
    listener = endpoint.remoteAddress();
    number = record.immediate();
    endpoint.established(peering, theirs, record.readInt(20), record.readData(Record.CONNECTION));
  }

  /** The connect that waits for an answer through this ring; null if there is none. */
  private Connector waiting(RingReader record) {
    ShmEndpoint endpoint = queue.connections().find(record.to());
    Connector connector = endpoint == null ? null : endpoint.connector();
    return connector != null && connector.isBy(this) ? connector : null;
  }
}
