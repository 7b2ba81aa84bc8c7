package io.github.vertxrdma.impl.peers;

import java.util.HashSet;
import java.util.Set;

/**
 * The node ids of this process's open directories. Two directories with one place must not share an id: each would take the other's entries
 * for its own. Thread-safe.
 */
final class NodeIds {
  private static final Set<Claim> TAKEN = new HashSet<>();

  private record Claim(Object place, String id) {
  }

  private NodeIds() {
  }

  /** Returns the id, with a number appended if another directory of the place has it. */
  static synchronized String claim(Object place, String id) {
    String free = id;
    for (int n = 2; !TAKEN.add(new Claim(place, free)); n++) {
      free = id + '.' + n;
    }
    return free;
  }

  static synchronized void release(Object place, String id) {
    TAKEN.remove(new Claim(place, id));
  }
}
