package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Liveness;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Detects a silent peer, and measures the round trip. A peer is watched
 * <ul>
 * <li>always, if the fabric does not report a peer's death, or no connection manager connected the endpoints;
 * <li>while a reply is due, on other fabrics except mapped memory, since they do not report a cut path;
 * <li>while frames wait for the peer's credits, on any fabric.
 * </ul>
 *
 * <p>A PING makes the fabric or the kernel detect a dead peer. Silence alone closes no link, since a stopped process is silent but alive.
 */
final class KeepAlive implements Liveness.Watched {
  /** Time for a suspected peer to answer. */
  private static final int SUSPECT_MILLIS = 1_000;
  /** Time without a frame after which all frames of an ended peer count as received. */
  private static final int QUIET_MILLIS = 20;

  private enum When {
    ALWAYS, REPLY_DUE, NEVER
  }

  private final Link link;
  private final FrameStream stream;
  private final DeviceLoop loop;
  private When when = When.NEVER;
  private boolean watched;
  private long lastArrival;
  private long lastCompleted;
  private int checksWithoutCredits;
  private int lastCredits;
  private long reported;
  private boolean suspected;
  private boolean ended;
  private boolean measuring;
  private long roundTripNanos = -1;
  /** Tasks for the PONGs that this side awaits, in the order of its PINGs. */
  private final ArrayDeque<Runnable> pings = new ArrayDeque<>(1);

  KeepAlive(Link link, FrameStream stream) {
    this.link = link;
    this.stream = stream;
    this.loop = stream.loop;
    this.lastArrival = loop.host.nanoTime();
  }

  void begin(boolean exchanged) {
    if (!loop.capabilities.peerFailureEvents() || exchanged) {
      when = When.ALWAYS;
      watch();
    } else if (!loop.capabilities.maps()) {
      when = When.REPLY_DUE;
      stream.watchReplies();
    }
  }

  void waitStarted() {
    if (!watched && (when == When.REPLY_DUE || stream.out.lacksCredits())) {
      // Keeps the time of a suspected peer, which awaitAnswer compares.
      lastArrival = suspected ? lastArrival : loop.host.nanoTime();
      lastCredits = stream.credits.controlReceived();
      watch();
    }
  }

  private void watch() {
    watched = true;
    loop.liveness.watch(this);
  }

  @Override
  public void reset(long now) {
    checksWithoutCredits = 0;
    noteArrival(now);
  }

  private void noteArrival(long now) {
    stream.takeFrameArrived();
    lastArrival = now;
  }

  /**
   * Pings a silent peer, then calls {@link LinkWatcher#silent}. Fails the link if the peer sends frames for {@code deadTimeout}, but no
   * credits.
   */
  @Override
  public boolean check(long now) {
    boolean arrived = stream.takeFrameArrived();
    long completed = link.rmaCompleted();
    if (arrived || completed != lastCompleted) {
      lastArrival = now;
      lastCompleted = completed;
    }
    boolean starved = stream.out.lacksCredits();
    watched = when == When.ALWAYS || starved || when == When.REPLY_DUE && (stream.isReplyDue() || link.rmaPending() > 0);
    if (starved) {
      checkCredits(arrived);
    } else {
      checksWithoutCredits = 0;
    }
    if (watched && when != When.NEVER) {
      checkSilence(now);
    }
    return watched;
  }

  private void checkCredits(boolean arrived) {
    int given = stream.credits.controlReceived();
    checksWithoutCredits = given != lastCredits ? 0 : arrived ? checksWithoutCredits + 1 : checksWithoutCredits;
    lastCredits = given;
    long withoutCredits = checksWithoutCredits * loop.liveness.periodMillis();
    if (withoutCredits > loop.options.deadMillis()) {
      stream.violation(
        "the peer sent frames for " + withoutCredits + " ms, but granted no credits for the " + stream.out.waiting() + " frames "
          + "that wait here");
    }
  }

  private void checkSilence(long now) {
    long silent = silentMillis(now);
    if (silent > loop.options.suspectMillis() / 2) {
      pingOnce();
    }
    long sinceReport = TimeUnit.NANOSECONDS.toMillis(now - reported);
    if (silent > loop.options.deadMillis() && !suspected && (reported == 0 || sinceReport >= loop.options.suspectMillis())) {
      reported = now;
      link.silent();
    }
  }

  private long silentMillis(long now) {
    return TimeUnit.NANOSECONDS.toMillis(now - lastArrival);
  }

  void suspectIfSilent() {
    long silent = silentMillis(loop.host.nanoTime());
    if (silent > loop.options.deadMillis()) {
      suspect("nothing arrived over the connection for " + silent + " ms, though the peer's process runs");
    }
  }

  void suspect(String why) {
    if (!suspected) {
      suspected = true;
      pingOnce();
      awaitAnswer(why);
    }
  }

  private void awaitAnswer(String why) {
    long began = loop.host.nanoTime();
    afterSilence(SUSPECT_MILLIS, () -> {
      if (loop.host.nanoTime() - began > TimeUnit.MILLISECONDS.toNanos(2 * SUSPECT_MILLIS)) {
        // This process or its event loop did not run. Waits again, so that arrived frames are read.
        awaitAnswer(why);
      } else {
        suspected = false;
        stream.peerLost("the peer is dead", why);
      }
    }, () -> {
      suspected = false;
      lastArrival = loop.host.nanoTime();
    });
  }

  void ended(String what, String why) {
    if (!ended) {
      ended = true;
      awaitQuiet(what, why);
    }
  }

  private void awaitQuiet(String what, String why) {
    afterSilence(QUIET_MILLIS, () -> link.peerLost(what, why), () -> awaitQuiet(what, why));
  }

  /** Runs one of two tasks after a time in which no frame arrived, or some did. */
  private void afterSilence(int millis, Runnable silent, Runnable arrived) {
    long since = loop.host.nanoTime();
    noteArrival(since);
    loop.host.schedule(() -> (stream.takeFrameArrived() || lastArrival != since ? arrived : silent).run(), millis, TimeUnit.MILLISECONDS);
  }

  void measureRoundTrip() {
    if (!measuring) {
      measuring = true;
      long since = loop.host.nanoTime();
      ping(() -> {
        measuring = false;
        roundTripNanos = loop.host.nanoTime() - since;
      });
    }
  }

  void pingOnce() {
    if (pings.isEmpty()) {
      ping(() -> {
      });
    }
  }

  /** Sends a PING. @param answered runs when the PONG arrives */
  void ping(Runnable answered) {
    pings.add(answered);
    stream.out.control(Frame.PING);
    loop.turn.dirty(stream);
  }

  /** Returns false if this side has not sent a PING. */
  boolean pongReceived() {
    Runnable answered = pings.poll();
    if (answered != null) {
      answered.run();
    }
    return answered != null;
  }

  long roundTripNanos() {
    return roundTripNanos;
  }
}
