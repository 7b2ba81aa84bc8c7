package io.github.vertxrdma.impl.control;

import io.vertx.core.buffer.Buffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Notices peers that have fallen silent, and asks each of them once. Silence is no death: {@link LinkTable} looks for evidence. Time in
 * which this process itself did not run, or its event loop was blocked, does not count, since what peers sent meanwhile waits in the
 * sockets and is read first.
 */
final class Heartbeat {
  /** Receiver of verdicts on silent peers. */
  interface Judge {
    void suspected(ControlLink link, boolean suspected);

    /** Called at each look at a peer whose silence has lasted for {@link ControlSettings#verifyMillis}. */
    void silent(ControlLink link);
  }

  private final long tickNanos;
  private final long askNanos;
  private final long suspectNanos;
  private final long verifyNanos;
  private final Judge judge;

  Heartbeat(ControlSettings settings, Judge judge) {
    tickNanos = TimeUnit.MILLISECONDS.toNanos(settings.tickMillis());
    suspectNanos = TimeUnit.MILLISECONDS.toNanos(settings.suspectMillis());
    askNanos = suspectNanos / 2;
    verifyNanos = TimeUnit.MILLISECONDS.toNanos(settings.verifyMillis());
    this.judge = judge;
  }

  /** Returns the nanoseconds between two looks at a peer that may be dead. */
  long tickNanos() {
    return tickNanos;
  }

  /** Returns the nanoseconds after which a peer that was just heard has to be looked at. */
  long askNanos() {
    return askNanos;
  }

  /**
   * Looks at the peers.
   *
   * @param late nanoseconds by which this call is late, since this process was held up
   * @return nanoseconds after which it has to be called again; sooner if a suspected peer is heard or a link is opened
   */
  long look(Collection<ControlLink> links, long now, long late) {
    long next = Long.MAX_VALUE;
    for (ControlLink link : List.copyOf(links)) {
      if (late > tickNanos) {
        link.heardNanos(Math.min(now, link.heardNanos() + late));
      }
      judge(link, now);
      next = Math.min(next, untilNext(link, now));
    }
    // Peers whose times are close together are looked at together.
    return Math.max(tickNanos, next);
  }

  private long untilNext(ControlLink link, long now) {
    long silence = now - link.heardNanos();
    if (!link.isAsked()) {
      return askNanos - silence;
    }
    if (!link.isSuspected()) {
      return suspectNanos - silence;
    }
    return silence < verifyNanos ? verifyNanos - silence : tickNanos;
  }

  /** Notes that something came from the peer. */
  void heard(ControlLink link, long now) {
    link.heardNanos(now);
    link.asked(false);
    if (link.isSuspected()) {
      link.suspected(false);
      judge.suspected(link, false);
    }
  }

  private void judge(ControlLink link, long now) {
    long silence = now - link.heardNanos();
    if (silence >= suspectNanos && !link.isSuspected()) {
      link.suspected(true);
      judge.suspected(link, true);
    }
    // Once: what a stopped process does not read fills the window of its socket.
    if (silence >= askNanos - tickNanos / 2 && !link.isAsked()) {
      link.asked(true);
      link.socket().write(ControlSocket.PING, Buffer.buffer());
    }
    if (silence >= verifyNanos) {
      judge.silent(link);
    }
  }
}
