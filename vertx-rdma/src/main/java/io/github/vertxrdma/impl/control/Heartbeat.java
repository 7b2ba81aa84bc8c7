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

    /** Called at each tick for a peer whose silence has lasted for {@link ControlSettings#verifyMillis}. */
    void silent(ControlLink link);
  }

  private final long tickNanos;
  private final long suspectNanos;
  private final long verifyNanos;
  private final Judge judge;
  private long lastTick;

  Heartbeat(ControlSettings settings, Judge judge) {
    tickNanos = TimeUnit.MILLISECONDS.toNanos(settings.tickMillis());
    suspectNanos = TimeUnit.MILLISECONDS.toNanos(settings.suspectMillis());
    verifyNanos = TimeUnit.MILLISECONDS.toNanos(settings.verifyMillis());
    this.judge = judge;
  }

  /** Notes that {@link #tick} is called from now on. */
  void begin(long now) {
    lastTick = now;
  }

  /** Called every {@link ControlSettings#tickMillis}, or later if this process was held up. */
  void tick(Collection<ControlLink> links, long now) {
    long pause = now - lastTick - tickNanos;
    lastTick = now;
    for (ControlLink link : List.copyOf(links)) {
      if (pause > tickNanos) {
        link.heardNanos(Math.min(now, link.heardNanos() + pause));
      }
      judge(link, now);
    }
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
    if (silence >= suspectNanos / 2 - tickNanos / 2 && !link.isAsked()) {
      link.asked(true);
      link.socket().write(ControlSocket.PING, Buffer.buffer());
    }
    if (silence >= verifyNanos) {
      judge.silent(link);
    }
  }
}
