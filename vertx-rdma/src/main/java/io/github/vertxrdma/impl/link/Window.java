package io.github.vertxrdma.impl.link;

/**
 * What a link grants its peer beyond what it began with. Of many links each begins with little, and gets what the options say once its
 * peer has used all of that. And once large messages come in parts it gets more than that: without it both ends wait for each other
 * several times in each message. What all links of a loop are granted so is bounded. Confined to the loop.
 */
final class Window {
  /** Bytes of receives for large messages. */
  private static final int BYTES = 3 << 19;
  /** Fewer than an endpoint can have sends under way. */
  private static final int MOST = 96;
  /** Bytes of receives that all links of a loop are granted so. */
  private static final int ALL_BYTES = 64 << 20;

  private final Link link;
  private final DeviceLoop loop;
  private final Receives receives;
  private int granted;
  private boolean grown;
  private boolean widened;
  private boolean underWay;

  Window(Link link, DeviceLoop loop, Receives receives) {
    this.link = link;
    this.loop = loop;
    this.receives = receives;
    grown = link.grant.equals(Grant.of(loop.options));
  }

  /** The most receives that a link is granted beyond the options. */
  static int most(LinkOptions options) {
    return Math.min(MOST, BYTES / options.bufferSize());
  }

  /** Receives granted so. */
  int granted() {
    return granted;
  }

  /** The peer has used all its credits: up to what the options say, once and where there is room. */
  void grow() {
    if (!grown) {
      more(link.grant.missing(Grant.of(loop.options)), true);
    }
  }

  /** A large message comes in parts: grants more, once and where there is room. */
  void widen() {
    int most = most(loop.options);
    // Where registered memory is pinned queues have no room beyond the options.
    if (!widened && most > 0 && !loop.capabilities.pinned()) {
      more(new Grant(most, 0), false);
    }
  }

  private void more(Grant more, boolean growing) {
    int count = more.receives();
    // If there is no room, others may leave: the next time asks again.
    if (underWay || !receives.spare(count) || (loop.widened + count) * (long) loop.options.bufferSize() > ALL_BYTES) {
      return;
    }
    underWay = true;
    loop.widened += count;
    int slots = receives.promise(count);
    loop.memory.reserveReceives(slots).onComplete(done -> {
      underWay = false;
      if (done.succeeded()) {
        loop.memory.receiveSlots.unreserve(slots);
      }
      if (done.failed() || link.isOver()) {
        receives.withdraw(count, slots);
        loop.widened -= count;
      } else if (!receives.post(slots)) {
        // Not all could be posted at once: the peer is told of none.
        receives.ungrant(count);
        loop.widened -= count;
      } else {
        granted += count;
        grown |= growing;
        widened |= !growing;
        link.receiver.granted(more);
      }
    });
  }

  /** The link's endpoint is gone. */
  void close() {
    loop.widened -= granted;
    if (granted > 0 && receives.shared()) {
      receives.ungrant(granted);
    }
    granted = 0;
  }
}
