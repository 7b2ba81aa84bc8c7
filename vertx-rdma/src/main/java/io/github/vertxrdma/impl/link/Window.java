package io.github.vertxrdma.impl.link;

/**
 * What a link grants its peer beyond the options once large messages come in parts: without it both ends wait for each other several
 * times in each message. What all links of a loop are granted so is bounded. Confined to the loop.
 */
final class Window {
  /** Bytes of receives. */
  private static final int BYTES = 3 << 19;
  /** Fewer than an endpoint can have sends under way. */
  private static final int MOST = 96;
  /** Bytes of receives that all links of a loop are granted so. */
  private static final int ALL_BYTES = 64 << 20;

  private final Link link;
  private final DeviceLoop loop;
  private final Receives receives;
  private int granted;
  private boolean tried;

  Window(Link link, DeviceLoop loop, Receives receives) {
    this.link = link;
    this.loop = loop;
    this.receives = receives;
  }

  /** The most receives that a link is granted beyond the options. */
  static int most(LinkOptions options) {
    return Math.min(MOST, BYTES / options.bufferSize());
  }

  /** Receives granted so. */
  int granted() {
    return granted;
  }

  /** A large message comes in parts: grants more, once and where there is room. */
  void widen() {
    int more = most(loop.options);
    // Where registered memory is pinned queues have no room beyond the options.
    if (tried || more == 0 || loop.capabilities.pinned()) {
      return;
    }
    if (!receives.spare(more) || (loop.widened + more) * (long) loop.options.bufferSize() > ALL_BYTES) {
      // Others may leave: the next large message asks again.
      return;
    }
    tried = true;
    loop.widened += more;
    int reserved = receives.needed(more);
    loop.reserveReceives(reserved).onComplete(done -> {
      if (done.succeeded()) {
        loop.receiveSlots.unreserve(reserved);
      }
      if (done.failed() || !grant(more)) {
        loop.widened -= more;
      }
    });
  }

  private boolean grant(int more) {
    // Meanwhile others may have taken what was there.
    if (link.isOver() || !receives.spare(more) || receives.needed(more) > loop.receiveSlots.available()) {
      return false;
    }
    if (!receives.grant(more)) {
      // Not all could be posted at once: the peer is told of none.
      receives.ungrant(more);
      return false;
    }
    granted = more;
    link.receiver.granted(more);
    return true;
  }

  /** The link's endpoint is gone. */
  void close() {
    loop.widened -= granted;
    if (granted > 0 && receives.queue().shared()) {
      receives.ungrant(granted);
    }
    granted = 0;
  }
}
