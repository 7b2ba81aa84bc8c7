package io.github.vertxrdma.provider.rdm;

import java.util.ArrayList;
import java.util.List;

/** Connections by their own random id, without boxing: open addressing, linear probing. */
final class ConnectionTable {
  private long[] ids = new long[64];
  private RdmConnection[] connections = new RdmConnection[64];
  private int size;

  RdmConnection get(long id) {
    int mask = ids.length - 1;
    for (int i = (int) id & mask; connections[i] != null; i = i + 1 & mask) {
      if (ids[i] == id) {
        return connections[i];
      }
    }
    return null;
  }

  void put(long id, RdmConnection connection) {
    if (size * 2 >= ids.length) {
      grow();
    }
    insert(id, connection);
    size++;
  }

  private void insert(long id, RdmConnection connection) {
    int mask = ids.length - 1;
    int i = (int) id & mask;
    while (connections[i] != null) {
      i = i + 1 & mask;
    }
    ids[i] = id;
    connections[i] = connection;
  }

  void remove(long id) {
    int mask = ids.length - 1;
    int i = (int) id & mask;
    while (connections[i] == null || ids[i] != id) {
      if (connections[i] == null) {
        return;
      }
      i = i + 1 & mask;
    }
    connections[i] = null;
    size--;
    // Those that were pushed past it by probing move back.
    for (int j = i + 1 & mask; connections[j] != null; j = j + 1 & mask) {
      RdmConnection moved = connections[j];
      connections[j] = null;
      insert(ids[j], moved);
    }
  }

  int size() {
    return size;
  }

  /** A copy of all, for control operations. */
  List<RdmConnection> all() {
    List<RdmConnection> all = new ArrayList<>(size);
    for (RdmConnection connection : connections) {
      if (connection != null) {
        all.add(connection);
      }
    }
    return all;
  }

  private void grow() {
    long[] oldIds = ids;
    RdmConnection[] oldLinks = connections;
    ids = new long[oldIds.length * 2];
    connections = new RdmConnection[oldIds.length * 2];
    for (int i = 0; i < oldIds.length; i++) {
      if (oldLinks[i] != null) {
        insert(oldIds[i], oldLinks[i]);
      }
    }
  }
}
