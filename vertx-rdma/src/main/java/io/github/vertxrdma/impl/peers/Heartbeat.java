package io.github.vertxrdma.impl.peers;

import io.vertx.core.buffer.Buffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Detects silent peers and pings each once. Pauses of this process do not count, since frames that arrived meanwhile are read first. */
final class Heartbeat {
  private final long tickNanos;
  private final long pingNanos;
  private final long suspectNanos;
  private final long verifyNanos;
  private final ControlLinks control;

  Heartbeat(ControlSettings settings, ControlLinks control) {
    tickNanos = TimeUnit.MILLISECONDS.toNanos(settings.tickMillis());
    suspectNanos = TimeUnit.MILLISECONDS.toNanos(settings.suspectMillis());
    pingNanos = suspectNanos / 2;
    verifyNanos = TimeUnit.MILLISECONDS.toNanos(settings.verifyMillis());
    this.control = control;
  }

  /** Returns the time between checks of a peer that may be dead. */
  long tickNanos() {
    return tickNanos;
  }

  long pingNanos() {
    return pingNanos;
  }

  /**
   * @param late nanoseconds by which this call is late
   * @return nanoseconds until the next call; sooner if a suspected peer sends or a link opens
   */
  long check(Collection<ControlLink> links, long now, long late) {
    long next = Long.MAX_VALUE;
    for (ControlLink link : List.copyOf(links)) {
      if (late > tickNanos) {
        link.receivedNanos = now - Math.max(0, now - link.receivedNanos - late);
      }
      checkSilence(link, now);
      next = Math.min(next, untilNext(link, now));
    }
    // Peers with similar times are checked together.
    return Math.max(tickNanos, next);
  }

  /** Returns the silence before a ping. The accepting side waits longer, so that one ping serves both sides of an idle connection. */
  private long pingNanos(ControlLink link) {
    return link.dialled ? pingNanos : pingNanos + tickNanos;
  }

  private long untilNext(ControlLink link, long now) {
    long silence = now - link.receivedNanos;
    if (!link.pinged) {
      return pingNanos(link) - silence;
    }
    if (!link.suspected) {
      return suspectNanos - silence;
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

  private void checkSilence(ControlLink link, long now) {
    long silence = now - link.receivedNanos;
    if (silence >= suspectNanos && !link.suspected) {
      link.suspected = true;
      control.suspected(link, true);
    }
    // Pings only once, since a stopped process reads nothing.
    if (silence >= pingNanos(link) - tickNanos / 2 && !link.pinged) {
      link.pinged = true;
      link.socket.write(ControlSocket.PING, Buffer.buffer());
    }
    if (silence >= verifyNanos) {
      control.silent(link);
    }
  }
}
