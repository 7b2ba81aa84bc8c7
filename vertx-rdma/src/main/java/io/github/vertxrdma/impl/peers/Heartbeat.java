package io.github.vertxrdma.impl.peers;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Sends PING to silent peers. Pauses of this process do not count as silence, because frames that arrive meanwhile are read later. */
final class Heartbeat {
  static final long CLAIM_NANOS = 1_000_000_000;

  final long tickNanos;
  /** Silence before a ping, and time without an answer after which the peer is suspected. */
  private final long pingNanos;
  /** Silence before a ping while no caller asks whether a peer is suspected. */
  private final long rarePingNanos;
  private final long verifyNanos;
  private final LinkTable table;
  private final ControlLinks control;

  Heartbeat(ControlSettings settings, LinkTable table, ControlLinks control) {
    tickNanos = TimeUnit.MILLISECONDS.toNanos(settings.tickMillis());
    pingNanos = TimeUnit.MILLISECONDS.toNanos(settings.suspectMillis()) / 2;
    rarePingNanos = Math.max(pingNanos, TimeUnit.MILLISECONDS.toNanos(settings.deadMillis()) / 4);
    verifyNanos = TimeUnit.MILLISECONDS.toNanos(settings.verifyMillis());
    this.table = table;
    this.control = control;
  }

  long pingNanos(boolean asked) {
    return asked ? pingNanos : rarePingNanos;
  }

  /** Returns the nanoseconds until the next call, which an event may bring forward. @param late nanoseconds by which this call is late */
  long check(List<ControlLink> links, long now, long late, boolean asked) {
    long next = Long.MAX_VALUE;
    for (ControlLink link : links) {
      if (late > tickNanos) {
        link.receivedNanos = now - Math.max(0, now - link.receivedNanos - late);
        link.pingedNanos = now - Math.max(0, now - link.pingedNanos - late);
      }
      // The accepting side waits longer, so that one ping serves both sides of an idle connection.
      long pingAfter = pingNanos(asked) + (link.dialled ? 0 : tickNanos);
      checkSilence(link, now, pingAfter);
      next = Math.min(next, untilNext(link, now, pingAfter));
    }
    // Waits at least a tick, so that peers with similar times are checked together.
    return Math.max(tickNanos, next);
  }

  private long untilNext(ControlLink link, long now, long pingAfter) {
    long silence = now - link.receivedNanos;
    if (!link.pinged) {
      return pingAfter - silence;
    }
    if (!link.suspected) {
      return pingNanos - (now - link.pingedNanos);
    }
    return silence < verifyNanos ? verifyNanos - silence : tickNanos;
  }

  void received(ControlLink link, long now) {
    link.receivedNanos = now;
    link.pinged = false;
    if (link.suspected) {
      link.suspected = false;
      control.suspected(link, false);
    }
  }

  /** Sends a PING to a node if another process uses its id, at most one a second. A host that has restarted then resets the connection. */
  void claimed(ControlLink link, long now) {
    if (!link.pinged && now - link.pingedNanos >= CLAIM_NANOS) {
      ping(link, now);
    }
  }

  private static void ping(ControlLink link, long now) {
    link.pinged = true;
    link.pingedNanos = now;
    link.socket.write(ControlSocket.PING, Buffer.buffer());
  }

  private void checkSilence(ControlLink link, long now, long pingAfter) {
    long silence = now - link.receivedNanos;
    if (link.pinged && !link.suspected && now - link.pingedNanos >= pingNanos) {
      link.suspected = true;
      control.suspected(link, true);
    }
    // Sends only one PING, because a stopped process reads nothing.
    if (silence >= pingAfter - tickNanos / 2 && !link.pinged) {
      ping(link, now);
    }
    if (link.suspected && silence >= verifyNanos) {
      table.silent(link);
    }
  }
}
