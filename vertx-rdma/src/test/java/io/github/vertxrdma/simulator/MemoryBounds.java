package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.link.HeldBytes;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.statistics.DeviceStatistics;

/** Bounds of the memory of a node: the credits of its peers, and the limits of docs/security, however many peers come and go. */
final class MemoryBounds {
  private static final int SLAB = 64;
  private static final int SENDS = 1024;
  private static final int PIECES = 64 + 256;
  private static final int ANSWERS = 64;
  private static final int OWN_FRAMES = 80;
  private static final int AHEAD = 4 << 20;

  /** Most pieces that a loop registers for reads and writes of remote memory. More only while the fabric keeps some. */
  private static final int STAGED = 64;
  static final int WINDOW = 4;

  private MemoryBounds() {
  }

  /**
   * Checks the accesses of a link to the memory of its peer. A call has few at a time, however many bytes it moves.
   *
   * @param calls the calls on the link that are under way, or that completed with accesses under way: these may complete late
   * @return the exceeded bound, or null
   */
  static String checkAccesses(Link link, int calls) {
    int pending = link.rmaPending();
    return pending > WINDOW * calls ? pending + " accesses are under way or wait, for " + calls + " calls" : null;
  }

  /**
   * Checks memory for accesses of a node to the memory of its peers.
   * @param calls the calls on all its links
   * @return the exceeded bound, or null
   */
  static String checkAccesses(DeviceLoop loop, int calls) {
    DeviceStatistics now = loop.statistics();
    return now.partSlotsUsed() > WINDOW * calls ? now.partSlotsUsed() + " pieces of memory are in use, for " + calls + " calls"
      : now.partSlots() > STAGED + now.partSlotsUsed() ? now.partSlots() + " pieces of memory are registered, " + now.partSlotsUsed()
        + " are in use" : null;
  }

  static String check(Node node) {
    DeviceStatistics now = node.loop.statistics();
    int posted = node.monitor.mostPosted();
    // One slab for reserved receives, and one for those of endpoints that are being closed.
    int receives = (posted + SLAB - 1) / SLAB * SLAB + 2 * SLAB;
    if (now.receiveSlots() > receives) {
      return now.receiveSlots() + " receives are registered, and never were more than " + posted + " posted";
    }
    return now.sendSlots() > SENDS ? now.sendSlots() + " frames to send are registered"
      : now.partSlots() > PIECES ? now.partSlots() + " pieces of messages are registered" : null;
  }

  /**
   * Checks the heap memory that the messages of a link's peer use. Messages that are read ahead have one bound. Messages in frames have
   * another: those that wait behind the first message, one that is longer, and those for which the peer had credits when it got no more.
   * Control frames that wait for the peer are those that its own frames caused, whose credits it does not get back, and a few of the link.
   *
   * @param asked the number of service frames that the application has sent
   * @return the exceeded bound, or null
   */
  static String check(Link link, long asked) {
    FrameModel frames = Monitor.model(link.endpoint());
    LoopOptions options = link.loop().options;
    long one = options.maxMessageSize();
    long came = HeldBytes.inFrames(link);
    long read = HeldBytes.ofReads(link);
    long waiting = link.waitingFrames() - (asked - frames.sentOfService());
    if (waiting > ANSWERS + 5 * frames.mostControl() + frames.mostData() + OWN_FRAMES) {
      return waiting + " control frames wait for the peer to take them";
    }
    return came > Math.min(AHEAD, one) + one + frames.mostData() * options.bufferSize()
      ? came + " bytes of messages came and wait to be delivered"
      : read > Math.max(AHEAD, one) ? read + " bytes of messages are read ahead" : null;
  }
}
