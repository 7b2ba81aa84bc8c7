package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Liveness;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.wire.Frame;
import java.util.concurrent.TimeUnit;

/** Signs of life of a link's peer, and how far away it is: silence, questions and answers. Confined to the loop. */
final class KeepAlive implements Liveness.Watched {
  /** Time that a suspected peer has to answer. */
  private static final int SUSPECT_MILLIS = 1_000;

  private final FrameStream stream;
  private final DeviceLoop loop;
  private long lastHeard;
  /** Whether the time of a suspected peer runs. */
  private boolean suspected;
  /** When the PING was sent whose answer is waited for; 0 for none. */
  private long measuredSince;
  private int measuredQuestion;
  private long roundTripNanos = -1;
  /** Questions asked and answers that came. Each PING gets one PONG, in their order, so both count them. */
  private int questions;
  private int answers;

  KeepAlive(FrameStream stream) {
    this.stream = stream;
    this.loop = stream.loop;
    this.lastHeard = loop.host.nanoTime();
  }

  @Override
  public void reset(long now) {
    stream.heard();
    lastHeard = now;
  }

  /** Asks a peer that was silent for long, then gives it up. Called from time to time, which is how exact it is. */
  @Override
  public void check(long now) {
    if (stream.heard()) {
      lastHeard = now;
    }
    long silent = TimeUnit.NANOSECONDS.toMillis(now - lastHeard);
    if (silent > loop.options.deadMillis()) {
      stream.peerDead("nothing was heard of it for " + silent + " ms");
    } else if (silent > loop.options.suspectMillis() / 2) {
      askOnce();
    }
  }

  /** Pings now; gives the peer up if nothing arrives within 1 s. More suspicion meanwhile gives it no more time. @param why it is suspected */
  void suspect(String why) {
    if (suspected) {
      return;
    }
    suspected = true;
    long asked = loop.host.nanoTime();
    reset(asked);
    askOnce();
    loop.host.schedule(() -> {
      suspected = false;
      if (!stream.heard() && lastHeard == asked) {
        stream.peerDead(why);
      } else {
        lastHeard = loop.host.nanoTime();
      }
    }, SUSPECT_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Asks for an answer and notes how long it takes; one at a time. */
  void measureRoundTrip() {
    if (measuredSince == 0) {
      measuredSince = loop.host.nanoTime();
      measuredQuestion = ask();
    }
  }

  /** Asks for a sign of life, unless an answer is due: it would be one. */
  private void askOnce() {
    if (answers == questions) {
      ask();
    }
  }

  /** Asks for a sign of life. @return the number of the question, to compare with that of {@link #answers} */
  int ask() {
    // Before it is posted, which may end the link.
    int number = ++questions;
    stream.out.control(Frame.PING);
    loop.dirty(stream);
    return number;
  }

  /** Questions that are answered: a link that is over answers none. */
  int answers() {
    return answers;
  }

  /** Counts an answer: that to the oldest question which had none. @return false if every question was answered */
  boolean answered() {
    if (answers == questions) {
      return false;
    }
    answers++;
    if (measuredSince != 0 && answers - measuredQuestion >= 0) {
      roundTripNanos = loop.host.nanoTime() - measuredSince;
      measuredSince = 0;
    }
    return true;
  }

  /** Nanoseconds that {@link #measureRoundTrip} last found; -1 for nothing yet. */
  long roundTripNanos() {
    return roundTripNanos;
  }
}
