package io.github.vertxrdma.impl.link;

import java.util.concurrent.TimeUnit;

/** Whether the peer of a link lives, and how far away it is: silence, questions and answers. */
final class Pulse {
  /** How long a peer has to answer whose control address refuses connections. */
  private static final int DOUBT_MILLIS = 1_000;

  private final Link link;
  private final DeviceLoop loop;
  /** Something was heard since {@link #lastHeard}: frames do not look at the clock. */
  private boolean heard;
  private long lastHeard = System.nanoTime();
  /** When the PING was sent whose answer is waited for; 0 for none. */
  private long measuredSince;
  private int measuredQuestion;
  private long roundTripNanos = -1;
  /** Questions asked and answers that came. Each PING gets one PONG, in their order, so both count them. */
  private int questions;
  private int answers;

  Pulse(Link link, DeviceLoop loop) {
    this.link = link;
    this.loop = loop;
  }

  /** A frame came. */
  void heard() {
    heard = true;
  }

  /** After a pause of this process: the peer is judged anew. */
  void forgive(long now) {
    heard = false;
    lastHeard = now;
  }

  /** Heard nothing for long: asks, then gives up. Called from time to time, which is how exact it is. */
  void check(long now) {
    if (heard) {
      forgive(now);
    }
    long silent = TimeUnit.NANOSECONDS.toMillis(now - lastHeard);
    if (silent > loop.options.deadMillis()) {
      link.peerDead("nothing was heard of it for " + silent + " ms");
    } else if (silent > loop.options.suspectMillis() / 2) {
      ask();
    }
  }

  /** Asks now, and takes silence for an answer after a second. */
  void doubt(String why) {
    long asked = System.nanoTime();
    if (heard) {
      forgive(asked);
    }
    ask();
    loop.loop.schedule(() -> {
      if (!heard && lastHeard - asked <= 0) {
        link.peerDead(why);
      }
    }, DOUBT_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Asks for an answer and notes how long it takes; one at a time. */
  void measureRoundTrip() {
    if (link.isOpen() && measuredSince == 0) {
      measuredSince = System.nanoTime();
      measuredQuestion = ask();
    }
  }

  /** Asks whether the peer has the link. @return the number of the question, to compare with that of {@link #answers} */
  int ask() {
    // Before it is posted, which may end the link.
    int number = ++questions;
    link.sender.control(Frame.PING, 0, 0, 0, null);
    loop.dirty(link);
    return number;
  }

  /** How many questions are answered: a link that is over answers none. */
  int answers() {
    return answers;
  }

  /** An answer came: that to the oldest question which had none. */
  void answered() {
    answers++;
    if (measuredSince != 0 && answers - measuredQuestion >= 0) {
      roundTripNanos = System.nanoTime() - measuredSince;
      measuredSince = 0;
    }
  }

  /** What {@link #measureRoundTrip} last found; -1 for nothing yet. */
  long roundTripNanos() {
    return roundTripNanos;
  }
}
