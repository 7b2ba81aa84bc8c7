package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.statistics.DeviceStatistics;

/** Bounds of the memory of a node while it lives: what its peers were granted and the limits of docs/security, whoever came and went. */
final class MemoryBounds {
  /** Frames to receive that are registered at once. */
  private static final int SLAB = 64;
  /** Frames to send. */
  private static final int SENDS = 1024;
  /** Pieces of messages that are read or written, and those that peers may read. */
  private static final int PIECES = 64 + 256;
  /** Answers that wait for the peer to take them. */
  private static final int ANSWERS = 64;
  /** Frames that a link says by itself: keys of slabs and that they are gone, questions, its end. */
  private static final int OWN_FRAMES = 80;
  /** Bytes that are read ahead of a reader, and bytes that wait behind a message. */
  private static final int AHEAD = 4 << 20;

  /** Pieces for reads and writes of others' memory that a loop registers; more only while the fabric keeps some. */
  private static final int STAGED = 64;
  /** Accesses that a call may have with the fabric, or waiting for it. */
  static final int WINDOW = 4;

  private MemoryBounds() {
  }

  /**
   * Checks the accesses of a link to its peer's memory: a call has a few at a time, whatever it moves.
   *
   * @param calls on it that are under way, or complete while it had accesses under way: theirs may come back late
   * @return what is beyond its bound; null if nothing is
   */
  static String checkAccesses(Link link, int calls) {
    int pending = link.rmaPending();
    return pending > WINDOW * calls ? pending + " accesses are under way or wait, for " + calls + " calls" : null;
  }

  /** Checks the memory that such accesses of a node go through. @param calls of all its links @return as above */
  static String checkAccesses(DeviceLoop loop, int calls) {
    DeviceStatistics now = loop.statistics();
    return now.partSlotsUsed() > WINDOW * calls ? now.partSlotsUsed() + " pieces of memory are in use, for " + calls + " calls"
      : now.partSlots() > STAGED + now.partSlotsUsed() ? now.partSlots() + " pieces of memory are registered, " + now.partSlotsUsed()
        + " are in use" : null;
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

  /**
   * Checks what the messages of a link's peer take of the heap. What is read ahead has one bound. What came in frames has another: what
   * waits behind the first message, one that is longer, and what the credits pay for that the peer had when it was given no more. Control
   * frames that wait for the peer are those that its own frames caused, whose credits it does not get back, and a few of the link's.
   *
   * @param asked frames of the service beside messages that the application has sent
   * @return what is beyond its bound; null if nothing is
   */
  static String check(Link link, long asked) {
    FrameModel frames = Monitor.model(link.endpoint());
    LoopOptions options = link.loop().options;
    long one = options.maxMessageSize();
    long came = link.heldBytes(false);
    long read = link.heldBytes(true);
    long waiting = link.waitingFrames() - (asked - frames.sentOfService());
    if (waiting > ANSWERS + 5 * frames.mostControl() + frames.mostData() + OWN_FRAMES) {
      return waiting + " control frames wait for the peer to take them";
    }
    return came > Math.min(AHEAD, one) + one + frames.mostData() * options.bufferSize()
      ? came + " bytes of messages came and wait to be delivered"
      : read > Math.max(AHEAD, one) ? read + " bytes of messages are read ahead" : null;
  }
}
