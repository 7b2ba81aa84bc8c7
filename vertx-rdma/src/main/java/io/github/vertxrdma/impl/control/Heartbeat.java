package io.github.vertxrdma.impl.control;

import io.vertx.core.buffer.Buffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Notices peers that have fallen silent. Time in which this process itself did not run, or its event loop was held up, does not count: what
 * peers said meanwhile waits in the sockets and is read first.
 */
final class Heartbeat {
  /** Receiver of verdicts on silent peers. */
  interface Judge {
    void suspected(ControlLink link, boolean suspected);

    void silent(ControlLink link, long millis);
  }

  private final long tickNanos;
  private final long suspectNanos;
  private final long deadNanos;
  private final Judge judge;
  private long lastTick;

  Heartbeat(ControlSettings settings, Judge judge, long now) {
    tickNanos = TimeUnit.MILLISECONDS.toNanos(settings.tickMillis());
    suspectNanos = TimeUnit.MILLISECONDS.toNanos(settings.suspectMillis());
    deadNanos = TimeUnit.MILLISECONDS.toNanos(settings.deadMillis());
    this.judge = judge;
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

  /** Something came from the peer. */
  void heard(ControlLink link, long now) {
    link.heardNanos(now);
    if (link.isSuspected()) {
      link.suspected(false);
      judge.suspected(link, false);
    }
  }

  private void judge(ControlLink link, long now) {
    long silence = now - link.heardNanos();
    if (silence >= deadNanos) {
      judge.silent(link, TimeUnit.NANOSECONDS.toMillis(silence));
      return;
    }
    if (silence >= suspectNanos && !link.isSuspected()) {
      link.suspected(true);
      judge.suspected(link, true);
    }
    // Asked twice before it is suspected; a peer that asks by itself, or sends anything, is not asked.
    if (silence >= suspectNanos / 2 - tickNanos / 2) {
      link.socket().write(ControlSocket.PING, Buffer.buffer());
    }
  }
}
