package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.loop.PeerBell;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * How a link wakes its peer where the fabric does not, and whether the peer can wake this side. The peer tells its doorbell when the link
 * opens; who connects to an address again rings the doorbell that was told there before, so that the handshake wakes the peer as well.
 * Confined to the loop.
 */
final class LinkBell {
  private static final Logger LOG = LoggerFactory.getLogger(LinkBell.class);
  /** Between the first two rings for a handshake; a wake-up takes about as long. Then twice as long each time. */
  private static final long CALL_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
  /** Who takes long to accept need not poll for it. */
  private static final long LONGEST_CALL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Link link;
  private final DeviceLoop loop;
  private PeerBells.Shared bell;
  private boolean ringable = true;
  private boolean calling;
  private long called;
  private long pause = CALL_NANOS;

  LinkBell(Link link, DeviceLoop loop) {
    this.link = link;
    this.loop = loop;
  }

  /** The peer's doorbell; null if it has none or it is not known. */
  PeerBell bell() {
    return bell == null ? null : bell.bell();
  }

  /** Wakes the peer now, and not at the end of the turn, if it sleeps. */
  void ring() {
    if (bell != null) {
      bell.bell().ring();
    }
  }

  /** This side goes to sleep: if operations of the link are under way, the peer wakes it when it has served them. */
  void waitFor() {
    if (bell != null && (calling || link.transfers.pending() > 0)) {
      bell.bell().waitFor();
    }
  }

  /** A connection is being made: wakes the peer if its doorbell is known, as often as needed until the link is open or over. */
  void call() {
    byte[] known = loop.doorbells().get(link.endpoint.remoteAddress());
    if (known != null) {
      try {
        open(known);
        calling = true;
        loop.calling(this);
      } catch (IOException e) {
        // Another process may be there now; its own doorbell comes when the link opens.
        loop.doorbells().remove(link.endpoint.remoteAddress());
      }
    }
  }

  /** At the end of each turn while {@link #call}ing. @return whether to go on */
  boolean callAgain(long now) {
    if (calling && now - called > pause) {
      called = now;
      pause = Math.min(2 * pause, LONGEST_CALL_NANOS);
      bell.bell().ring();
    }
    return calling;
  }

  /** The link opened. Until the peer says it can ring this side's doorbell, this side polls by time. @param told the peer's doorbell */
  void hang(byte[] told) {
    calling = false;
    if (loop.doorbell().length > 0) {
      ringable = false;
      loop.unringable(1);
    }
    if (bell != null && !bell.is(told)) {
      loop.bells().release(bell);
      bell = null;
    }
    if (told.length > 0) {
      try {
        if (bell == null) {
          open(told);
        }
        loop.doorbells().put(link.endpoint.remoteAddress(), bell.descriptor());
        link.sender.control(Frame.BELL, 0, 0, 0, null);
      } catch (IOException e) {
        LOG.warn(link.name() + ": its doorbell cannot be rung from here, so it polls: " + e.getMessage());
      }
    }
  }

  private void open(byte[] of) throws IOException {
    bell = loop.bells().acquire(of);
  }

  /** The peer can ring this side's. */
  void ringable() {
    if (!ringable) {
      ringable = true;
      loop.unringable(-1);
    }
  }

  /** The endpoint was closed: the peer is woken to learn it. */
  void unhang() {
    calling = false;
    ringable();
    if (bell != null) {
      bell.bell().ring();
      loop.bells().release(bell);
      bell = null;
    }
  }
}
