package io.github.vertxrdma.simulator;

import io.github.vertxrdma.statistics.DeviceStatistics;

/** Bounds of the registered memory of a node while it lives: what its peers were granted and the limits of docs/security, whoever came and went. */
final class MemoryBounds {
  /** Frames to receive that are registered at once. */
  private static final int SLAB = 64;
  /** Frames to send. */
  private static final int SENDS = 1024;
  /** Pieces of messages that are read or written, and those that peers may read. */
  private static final int PIECES = 64 + 256;

  private MemoryBounds() {
  }

  /** @return what is beyond its bound; null if nothing is */
  static String check(Node node) {
    DeviceStatistics now = node.loop.statistics();
    int posted = node.monitor.mostPosted();
    // A slab for receives that are set aside, and one for those of endpoints that are being closed.
    int receives = (posted + SLAB - 1) / SLAB * SLAB + 2 * SLAB;
    if (now.receiveSlots() > receives) {
      return now.receiveSlots() + " receives are registered, and never were more than " + posted + " posted";
    }
    return now.sendSlots() > SENDS ? now.sendSlots() + " frames to send are registered"
      : now.partSlots() > PIECES ? now.partSlots() + " pieces of messages are registered" : null;
  }
}
