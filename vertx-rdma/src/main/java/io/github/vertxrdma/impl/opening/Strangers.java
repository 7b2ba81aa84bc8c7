package io.github.vertxrdma.impl.opening;

import io.github.vertxrdma.provider.EndpointAddress;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Bounds the connectors of a listener that have not proved themselves: of one host, and in all. More of them wait for their turn, which
 * costs no receives. Confined to the loop.
 */
final class Strangers {
  /** Connectors that may be without proof at a time. */
  static final int MOST = 256;
  /** Those of one host, or of one address where an address tells of no host. */
  static final int MOST_OF_ONE = 64;
  /** Connectors that may wait for their turn. */
  static final int WAITING = 4096;

  private final Map<Object, Integer> counts = new HashMap<>();
  private final ArrayDeque<Guest> waiting = new ArrayDeque<>(0);
  private final Runnable waits;
  private int all;
  /** Whether those who wait are being let in: one that leaves at once makes no deeper stack. */
  private boolean entering;

  /** @param waits runs for each connector that has to wait */
  Strangers(Runnable waits) {
    this.waits = waits;
  }

  /** A connector that is let in, or waits. */
  final class Guest {
    private final Object host;
    private final Consumer<Guest> admitted;
    private boolean left;

    private Guest(Object host, Consumer<Guest> admitted) {
      this.host = host;
      this.admitted = admitted;
    }

    /** Takes it out: it has proved itself, or is gone. Idempotent. */
    void leave() {
      if (!left) {
        left = true;
        all--;
        counts.computeIfPresent(host, (key, count) -> count == 1 ? null : count - 1);
        next();
      }
    }
  }

  /**
   * Lets a connector in, now or when it is its turn.
   *
   * @param admitted called then
   * @return false if too many wait
   */
  boolean admit(EndpointAddress address, Consumer<Guest> admitted) {
    Guest guest = new Guest(hostOf(address), admitted);
    if (hasRoom(guest)) {
      enter(guest);
      return true;
    }
    if (waiting.size() == WAITING) {
      return false;
    }
    waiting.add(guest);
    waits.run();
    return true;
  }

  private boolean hasRoom(Guest guest) {
    return all < MOST && counts.getOrDefault(guest.host, 0) < MOST_OF_ONE;
  }

  private void enter(Guest guest) {
    counts.merge(guest.host, 1, Integer::sum);
    all++;
    guest.admitted.accept(guest);
  }

  private void next() {
    if (entering) {
      return;
    }
    entering = true;
    try {
      for (Guest guest = poll(); guest != null; guest = poll()) {
        enter(guest);
      }
    } finally {
      entering = false;
    }
  }

  /** Takes out the first that waits and has room; null if none has. */
  private Guest poll() {
    for (Iterator<Guest> each = waiting.iterator(); all < MOST && each.hasNext();) {
      Guest guest = each.next();
      if (hasRoom(guest)) {
        each.remove();
        return guest;
      }
    }
    return null;
  }

  /** Forgets those that wait: the listener was closed. */
  void close() {
    waiting.clear();
  }

  private static Object hostOf(EndpointAddress address) {
    byte[] bytes = address.bytes();
    // The port comes first.
    return address.format().equals(EndpointAddress.INET) && bytes.length > 2 ? Arrays.toString(Arrays.copyOfRange(bytes, 2, bytes.length))
      : address;
  }
}
