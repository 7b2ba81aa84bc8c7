package io.github.vertxrdma.provider.rdm;

import java.util.ArrayList;
import java.util.List;

/** Connections by their own random id, without boxing: open addressing, linear probing. */
final class ConnectionTable {
  private long[] ids = new long[64];
  private Link[] links = new Link[64];
  private int size;

  Link get(long id) {
    int mask = ids.length - 1;
    for (int i = (int) id & mask; links[i] != null; i = i + 1 & mask) {
      if (ids[i] == id) {
        return links[i];
      }
    }
    return null;
  }

  void put(long id, Link link) {
    if (size * 2 >= ids.length) {
      grow();
    }
    insert(id, link);
    size++;
  }

  private void insert(long id, Link link) {
    int mask = ids.length - 1;
    int i = (int) id & mask;
    while (links[i] != null) {
      i = i + 1 & mask;
    }
    ids[i] = id;
    links[i] = link;
  }

  void remove(long id) {
    int mask = ids.length - 1;
    int i = (int) id & mask;
    while (links[i] == null || ids[i] != id) {
      if (links[i] == null) {
        return;
      }
      i = i + 1 & mask;
    }
    links[i] = null;
    size--;
    // Those that were pushed past it by probing move back.
    for (int j = i + 1 & mask; links[j] != null; j = j + 1 & mask) {
      Link moved = links[j];
      links[j] = null;
      insert(ids[j], moved);
    }
  }

  int size() {
    return size;
  }

  /** A copy of all, for control operations. */
  List<Link> all() {
    List<Link> all = new ArrayList<>(size);
    for (Link link : links) {
      if (link != null) {
        all.add(link);
      }
    }
    return all;
  }

  private void grow() {
    long[] oldIds = ids;
    Link[] oldLinks = links;
    ids = new long[oldIds.length * 2];
    links = new Link[oldIds.length * 2];
    for (int i = 0; i < oldIds.length; i++) {
      if (oldLinks[i] != null) {
        insert(oldIds[i], oldLinks[i]);
      }
    }
  }
}
