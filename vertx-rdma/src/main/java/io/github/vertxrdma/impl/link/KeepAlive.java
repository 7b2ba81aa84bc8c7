package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Liveness;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.wire.Frame;
import java.util.concurrent.TimeUnit;

/**
 * Signs of life of a link's peer, and how far away it is: silence, questions and answers. A peer is watched
 *
 * <ul>
 * <li>always, if the fabric reports no deaths;
 * <li>while it owes something, if the fabric does, since a path that is cut reports nothing;
 * <li>on any fabric, while it owes credits to frames that wait, since they would wait for ever for a peer that talks and gives none.
 * </ul>
 *
 * <p>A silent peer is asked, so that fabric or kernel find out whether it is there. Then the node looks for evidence. Silence alone
 * ends no link, since a stopped process is silent and lives. Confined to the loop.
 */
final class KeepAlive implements Liveness.Watched {
  /** Time that a peer has to answer when there is evidence against it, and what it sent before to be read. */
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
  /** When the node was last asked to look for evidence; 0 before. */
  private long reported;
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
   * Asks a peer that was silent for long, then has the node look for evidence. Ends the link with one that talks for as long and gives no
   * credits. Called from time to time, which limits how exact the times are.
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
    long silent = silentMillis(now);
    if (silent > loop.options.suspectMillis() / 2) {
      askOnce();
    }
    long sinceReport = TimeUnit.NANOSECONDS.toMillis(now - reported);
    if (silent > loop.options.deadMillis() && !suspected && (reported == 0 || sinceReport >= loop.options.suspectMillis())) {
      reported = now;
      link.silent();
    }
  }

  private long silentMillis(long now) {
    return TimeUnit.NANOSECONDS.toMillis(now - lastHeard);
  }

  /** Ends the link if it has been silent for so long that its node looked for evidence, and stays silent. */
  void cutOff() {
    long silent = silentMillis(loop.host.nanoTime());
    if (silent > loop.options.deadMillis()) {
      suspect("nothing came over it for " + silent + " ms, though the peer's process runs");
    }
  }

  /**
   * Asks the peer, and ends the link if nothing arrives within 1 s. More suspicion meanwhile gives the peer no more time.
   *
   * @param why the evidence against the peer
   */
  void suspect(String why) {
    if (!suspected) {
      suspected = true;
      heardAt(loop.host.nanoTime());
      askOnce();
      awaitAnswer(why, lastHeard);
    }
  }

  private void awaitAnswer(String why, long asked) {
    long began = loop.host.nanoTime();
    loop.host.schedule(() -> {
      if (stream.heard() || lastHeard != asked) {
        suspected = false;
        lastHeard = loop.host.nanoTime();
      } else if (loop.host.nanoTime() - began > TimeUnit.MILLISECONDS.toNanos(2 * SUSPECT_MILLIS)) {
        // This process was stopped, or its loop blocked: what came meanwhile is read first.
        awaitAnswer(why, asked);
      } else {
        suspected = false;
        stream.peerLost("is dead", why);
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
