package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Liveness;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.wire.Frame;
import java.util.concurrent.TimeUnit;

/**
 * Signs of life of a link's peer, and how far away it is: silence, questions and answers. Where no event tells of a death the peer is
 * always looked at; where one does, while it owes something, since a path that is cut tells nothing; on any fabric, while it owes credits
 * to frames that wait, since one that talks and gives none would have them wait for ever. Confined to the loop.
 */
final class KeepAlive implements Liveness.Watched {
  /** Time that a suspected peer has to answer. */
  private static final int SUSPECT_MILLIS = 1_000;
  /** Milliseconds without a frame after which everything that a peer sent before its end counts as read. */
  private static final int LAST_WORD_MILLIS = 20;

  /** Times at which a peer is looked at. */
  private enum When {
    ALWAYS, ASKED, NEVER
  }

  private final Link link;
  private final FrameStream stream;
  private final DeviceLoop loop;
  private When when = When.NEVER;
  private boolean watched;
  private long lastHeard;
  /** Remote memory operations that had been completed then. */
  private long lastCompleted;
  /** Looks in a row that found frames waiting for credits, and the peer heard without giving any; and what it had given before. */
  private int looksInVain;
  private int lastGiven;
  /** Whether the time of a suspected peer runs. */
  private boolean suspected;
  /** True when the peer is known to have ended. */
  private boolean ended;
  /** When the PING was sent whose answer is waited for; 0 for none. */
  private long measuredSince;
  private int measuredQuestion;
  private long roundTripNanos = -1;
  /** Questions asked and answers that came. Each PING gets one PONG, in their order, so both count them. */
  private int questions;
  private int answers;

  KeepAlive(Link link, FrameStream stream) {
    this.link = link;
    this.stream = stream;
    this.loop = stream.loop;
    this.lastHeard = loop.host.nanoTime();
  }

  /**
   * Begins, once the link is open.
   *
   * @param exchanged whether it was met by an exchange of addresses, which leaves nobody to tell of its death
   */
  void begin(boolean exchanged) {
    if (!loop.capabilities.peerFailureEvents() || exchanged) {
      when = When.ALWAYS;
      watch();
    } else if (!loop.capabilities.maps()) {
      when = When.ASKED;
      if (stream.isUnanswered()) {
        asked();
      }
    }
  }

  /** Looks at the peer until it answers, or gives the credits that frames wait for. */
  void asked() {
    if (!watched && (when == When.ASKED || stream.out.lacksCredits())) {
      // The question that a suspicion asks is no sign of life.
      lastHeard = suspected ? lastHeard : loop.host.nanoTime();
      lastGiven = stream.credits.given();
      watch();
    }
  }

  private void watch() {
    watched = true;
    loop.liveness.watch(this);
  }

  @Override
  public void reset(long now) {
    looksInVain = 0;
    heardAt(now);
  }

  private void heardAt(long now) {
    stream.heard();
    lastHeard = now;
  }

  /**
   * Asks a peer that was silent for long, then gives it up, and one that talks for as long and gives no credits. Called from time to time,
   * which is how exact it is.
   */
  @Override
  public boolean check(long now) {
    boolean heard = stream.heard();
    long completed = link.rmaCompleted();
    if (heard || completed != lastCompleted) {
      lastHeard = now;
      lastCompleted = completed;
    }
    boolean starved = stream.out.lacksCredits();
    watched = when == When.ALWAYS || starved || when == When.ASKED && (stream.isUnanswered() || link.awaitsPeer());
    if (starved) {
      checkCredits(heard);
    } else {
      looksInVain = 0;
    }
    if (watched && when != When.NEVER) {
      checkSilence(now);
    }
    return watched;
  }

  private void checkCredits(boolean heard) {
    int given = stream.credits.given();
    looksInVain = given != lastGiven ? 0 : heard ? looksInVain + 1 : looksInVain;
    lastGiven = given;
    long inVain = looksInVain * loop.liveness.periodMillis();
    if (inVain > loop.options.deadMillis()) {
      stream.violation(
        "takes none of the " + stream.out.waiting() + " frames that wait for it, and was heard all the while, for " + inVain + " ms");
    }
  }

  private void checkSilence(long now) {
    long silent = TimeUnit.NANOSECONDS.toMillis(now - lastHeard);
    if (silent > loop.options.deadMillis()) {
      link.silent();
      stream.peerLost("is dead", "nothing was heard of it for " + silent + " ms");
    } else if (silent > loop.options.suspectMillis() / 2) {
      askOnce();
    }
  }

  /**
   * Pings now; gives the peer up if nothing arrives within 1 s. More suspicion meanwhile gives it no more time.
   *
   * @param why it is suspected
   */
  void suspect(String why) {
    if (suspected) {
      return;
    }
    suspected = true;
    long asked = loop.host.nanoTime();
    heardAt(asked);
    askOnce();
    loop.host.schedule(() -> {
      suspected = false;
      if (!stream.heard() && lastHeard == asked) {
        stream.peerLost("is dead", why);
      } else {
        lastHeard = loop.host.nanoTime();
      }
    }, SUSPECT_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * Ends the link when no frame has come for {@link #LAST_WORD_MILLIS}: the peer sends no more, and all that it sent is read.
   *
   * @param what became of the peer
   * @param why it did
   */
  void ended(String what, String why) {
    if (!ended) {
      ended = true;
      awaitLastWord(what, why);
    }
  }

  private void awaitLastWord(String what, String why) {
    long since = loop.host.nanoTime();
    heardAt(since);
    loop.host.schedule(() -> {
      if (stream.heard() || lastHeard != since) {
        awaitLastWord(what, why);
      } else {
        link.peerLost(what, why);
      }
    }, LAST_WORD_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Asks for an answer and notes how long it takes; one at a time. */
  void measureRoundTrip() {
    if (measuredSince == 0) {
      measuredSince = loop.host.nanoTime();
      measuredQuestion = ask();
    }
  }

  /** Asks for a sign of life, unless an answer is due: it would be one. */
  void askOnce() {
    if (answers == questions) {
      ask();
    }
  }

  /** Asks for a sign of life. @return the number of the question, to compare with that of {@link #answers} */
  int ask() {
    // Before it is posted, which may end the link.
    int number = ++questions;
    stream.out.control(Frame.PING);
    loop.turn.dirty(stream);
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
