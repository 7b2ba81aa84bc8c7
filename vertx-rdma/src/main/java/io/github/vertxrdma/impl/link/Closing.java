package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.framing.StreamState;
import io.github.vertxrdma.impl.loop.Scheduler;
import io.github.vertxrdma.impl.message.MessageReceiver;
import io.github.vertxrdma.impl.message.MessageSender;
import io.github.vertxrdma.impl.wire.Frame;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Completable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * End of a link's messages and its close, from both sides. What was written goes out first: CLOSE is sent once the peer has all messages,
 * and is acknowledged once they are delivered. The side that is closed answers with a CLOSE of its own: whose CLOSE is acknowledged knows
 * that all it wrote has arrived, and nobody else does. A close waits while the peer takes something, a shutdown for a fixed time. Confined
 * to the loop.
 */
final class Closing {
  /** Time in which a peer that has all it awaits is to end the endpoint. */
  private static final int LINGER_MILLIS = 2_000;
  /**
   * Milliseconds after the endpoint's end in which the peer's acknowledgement still counts. It may be in the completion queue or on its way
   * there.
   */
  private static final int LAST_WORD_MILLIS = 500;
  /** Milliseconds after the endpoint's end in which another channel may report the end of the peer's process. */
  private static final int REPORT_MILLIS = 900;
  /** Looks at whether anything moved, per time that a close may stand still. */
  private static final int LOOKS = 4;

  /** Steps of the end of this side's messages. */
  private enum End { NONE, WAITING, SENT, DONE }

  private final Link link;
  private final FrameStream stream;
  private final MessageSender sender;
  private final MessageReceiver receiver;
  private End end = End.NONE;
  private Completable<Void> ending;
  /** Those who wait for the close; null if nobody does. */
  private List<Completable<Void>> closing;
  /** Bounds the close: it looks whether the peer takes something, or ends at a fixed time. */
  private Scheduler.Timer timer;
  /** The close ends at a fixed time, by the host's clock. */
  private boolean bounded;
  private long until;
  /** Bounds the wait for the peer's acknowledgement, or for the report of its death, when the endpoint has ended. */
  private Scheduler.Timer last;
  private long progress;
  private int looksInVain;
  /** The peer sends no more messages: END or CLOSE was delivered. */
  private boolean ended;
  /** The peer has sent CLOSE, which is not acknowledged yet. */
  private boolean owed;
  /** Error for this side's messages that the peer had not taken when its close was acknowledged; null if it had all. */
  private Throwable cut;
  /** The peer has acknowledged the close of this side. */
  private boolean acknowledged;

  Closing(Link link, FrameStream stream, MessageSender sender, MessageReceiver receiver) {
    this.link = link;
    this.stream = stream;
    this.sender = sender;
    this.receiver = receiver;
  }

  /** Tells whether messages may still be written. */
  boolean takesMessages() {
    return end == End.NONE && stream.state() == StreamState.OPEN;
  }

  // ---- the end of messages

  /** Ends this side's messages. @param done completed when the peer has all of them */
  void end(Completable<Void> done) {
    if (stream.isOver() || stream.state() == StreamState.PEER_GONE) {
      done.fail(stream.overCause());
    } else if (end != End.NONE || stream.state() != StreamState.OPEN) {
      done.fail(new RdmaException(Reason.CLOSED, "cannot end " + link.name() + (end != End.NONE ? " twice" : ": it was closed")));
    } else {
      end = End.WAITING;
      ending = done;
      turnEnd();
    }
  }

  /** The peer has all messages. */
  void endAcknowledged() {
    if (end != End.SENT) {
      stream.violation("acknowledged an end that was not sent");
      return;
    }
    end = End.DONE;
    ending.succeed();
  }

  /** The peer has ended its messages, and all of them are delivered. */
  void peerEnded() {
    told();
    stream.out.control(Frame.END_ACK);
  }

  private void told() {
    if (!ended) {
      ended = true;
      link.ended();
    }
  }

  /** Tells whether the peer has all messages, and no remote memory operation is under way. */
  private boolean isTaken() {
    return sender.isTaken() && link.rmaPending() == 0;
  }

  private String undelivered() {
    return sender.pendingBytes() + " bytes were not sent, " + sender.unread() + " pieces were not read";
  }

  // ---- the close

  /** Fails the link if the peer takes nothing for a time, as after {@link #close}. */
  void closing(int idleMillis) {
    if (!stream.isOver()) {
      bound(idleMillis);
    }
  }

  /** Closes in order, however long the peer takes, as long as it takes something. @param done fails if something was not delivered */
  void close(int idleMillis, Completable<Void> done) {
    if (begin(done)) {
      bound(idleMillis);
    }
  }

  /** Closes in order within a time. @param done fails if something was not delivered by then */
  void shutdown(long millis, Completable<Void> done) {
    if (begin(done)) {
      endWithin(millis, () -> giveUp("in " + millis + " ms"));
    }
  }

  /** Ends the close in a time, unless it is to end before. */
  private void endWithin(long millis, Runnable end) {
    long at = stream.loop.host.nanoTime() + Math.min(TimeUnit.MILLISECONDS.toNanos(millis), Long.MAX_VALUE / 2);
    if (!bounded || at - until < 0) {
      cancelBound();
      bounded = true;
      until = at;
      timer = stream.loop.host.schedule(end, millis, TimeUnit.MILLISECONDS);
    }
  }

  /** @return false if the link has ended */
  private boolean begin(Completable<Void> done) {
    if (stream.isOver()) {
      done.succeed();
      return false;
    }
    if (closing == null) {
      closing = new ArrayList<>(1);
    }
    closing.add(done);
    if (stream.state() == StreamState.OPEN) {
      stream.state(StreamState.FLUSHING);
      turnEnd();
    } else if (stream.state() == StreamState.PEER_GONE) {
      stream.peerLost("is gone", "this side closed the connection after the peer had ended");
    }
    return !stream.isOver();
  }

  private void bound(int idleMillis) {
    if (timer == null) {
      progress = progress();
      look(Math.max(1, idleMillis / LOOKS));
    }
  }

  private void look(int millis) {
    timer = stream.loop.host.schedule(() -> {
      long now = progress();
      looksInVain = now == progress ? looksInVain + 1 : 0;
      progress = now;
      if (looksInVain > LOOKS) {
        giveUp("and took nothing for " + millis * LOOKS + " ms");
      } else {
        look(millis);
      }
    }, millis, TimeUnit.MILLISECONDS);
  }

  /** Number that changes whenever the peer takes something. */
  private long progress() {
    return sender.progress() + link.rmaCompleted();
  }

  private void giveUp(String when) {
    stream.fail(isAgreed() ? cut : new RdmaException(Reason.TIMEOUT, link.name() + ": the peer did not acknowledge the close " + when + "; "
      + undelivered()));
  }

  /** Sends END, CLOSE and the acknowledgement of the peer's when it is their turn. */
  void turnEnd() {
    if (stream.isOver()) {
      return;
    }
    if (end == End.WAITING && sender.isPosted()) {
      end = End.SENT;
      stream.out.control(Frame.END);
    }
    if (stream.state() == StreamState.FLUSHING && end != End.WAITING) {
      if (isTaken()) {
        stream.state(StreamState.CLOSE_SENT);
        stream.out.control(Frame.CLOSE);
      } else {
        stream.loop.turn.waiting(stream);
      }
    }
    // Bytes that were read of the peer's memory, which it takes for delivered, wait for its answer.
    if (owed && !receiver.isBusy()) {
      acknowledge();
    }
    if (acknowledged && !stream.isOver()) {
      // The acknowledgement that a peer awaits could be lost with the endpoint.
      boolean awaited = stream.state() == StreamState.CLOSE_CROSSED && !stream.out.hasDeliveredAcknowledgement();
      if (!awaited && receiver.unconfirmed() == 0) {
        stream.fail(null);
      } else {
        stream.loop.turn.waiting(stream);
      }
    }
  }

  /** The peer closes. */
  void peerCloses() {
    owed = true;
    stream.state(stream.state() == StreamState.CLOSE_SENT ? StreamState.CLOSE_CROSSED : StreamState.PEER_CLOSING);
    bound(stream.loop.options.closeIdleMillis());
    turnEnd();
  }

  /** The peer has acknowledged the close of this side. */
  void closeAcknowledged() {
    acknowledged = true;
    turnEnd();
  }

  /**
   * Acknowledges the peer's close: its messages are delivered. Where this side has not closed it does now, if the peer has all of its
   * messages: only an acknowledgement of its own tells that they arrive before the peer is gone.
   */
  private void acknowledge() {
    owed = false;
    if (stream.state() == StreamState.PEER_CLOSING) {
      if (isTaken()) {
        stream.state(StreamState.CLOSE_CROSSED);
        stream.out.control(Frame.CLOSE);
      } else {
        cut = new RdmaException(Reason.CLOSED, link.name() + ": the peer closed it before it had everything: " + undelivered());
        stream.state(StreamState.ACKNOWLEDGED);
        // The peer ends the endpoint: with it the acknowledgement could be lost.
        cancelLast();
        endWithin(LINGER_MILLIS, () -> stream.fail(cut));
      }
    }
    stream.out.control(Frame.CLOSE_ACK);
    if (cut == null && !stream.isOver()) {
      told();
    }
  }

  /** Tells whether nothing of this side's can be lost: it has written nothing, or the peer has said that it has all. */
  private boolean isKnownToHaveArrived() {
    return (end == End.DONE || sender.written() == 0) && isTaken();
  }

  /** The fabric tells of the endpoint's end. */
  void disconnected(ProviderException why) {
    boolean byPeer = why.reason() == ProviderException.Reason.DISCONNECTED || why.reason() == ProviderException.Reason.PEER_ENDED;
    if (byPeer && ended && isKnownToHaveArrived() && (stream.state() == StreamState.OPEN || stream.state() == StreamState.PEER_GONE)) {
      stream.fail(null);
      return;
    }
    Runnable lost = () -> stream.fail(new RdmaException(Reasons.ofEnd(why.reason()), link.name() + ": " + Reasons.words(why), why));
    if (why.reason() == ProviderException.Reason.DISCONNECTED && stream.state().isBeforeClose() && isTaken()
      && link.awaitsReportOfDeath()) {
      // The fabric does not know whether the peer's process has ended, which is a close, or the connection alone, which is an error.
      stream.state(StreamState.PEER_GONE);
      endIn(REPORT_MILLIS, lost);
    } else {
      peerGone(lost);
    }
  }

  /** The peer is gone, as the fabric or another channel tells. @param lost ends the link, unless the peer's acknowledgement comes yet */
  void peerGone(Runnable lost) {
    if (last != null && !link.hasPeerEnded()) {
      // The wait that has begun ends the link.
      return;
    }
    if (stream.state() != StreamState.CLOSE_CROSSED || isAgreed()) {
      lost.run();
    } else {
      // It may have ended the endpoint after its acknowledgement, which is yet to be polled.
      endIn(LAST_WORD_MILLIS, lost);
    }
  }

  private void endIn(int millis, Runnable lost) {
    if (last == null) {
      last = stream.loop.host.schedule(lost, millis, TimeUnit.MILLISECONDS);
    }
  }

  /** Tells whether one side's close is acknowledged, and so nothing is left to be known. */
  boolean isAgreed() {
    return acknowledged || stream.state() == StreamState.ACKNOWLEDGED;
  }

  /** Tells whether the peer has acknowledged the close of this side, and so has all that was written. */
  boolean isAcknowledged() {
    return acknowledged;
  }

  /** Error of a lost connection: what was agreed before, however the endpoint ends; else with what this side had to do with it. */
  Throwable explained(Throwable why) {
    if (!(why instanceof RdmaException lost) || lost.reason() != Reason.CONNECTION_LOST) {
      return why;
    }
    if (isAgreed()) {
      return cut;
    }
    int held = receiver.unconfirmed();
    long still = stream.loop.liveness.stoodStillMillis();
    if (held == 0 && still == 0) {
      return why;
    }
    StringBuilder words = new StringBuilder(lost.getMessage());
    if (held > 0) {
      words.append("; messages read and not delivered, since the peer did not confirm that its memory still held them: ").append(held);
    }
    if (still > 0) {
      words.append("; this process or its event loop stood still for ").append(still).append(" ms. If the whole machine did, the peer may"
        + " have taken it for dead: raise deadTimeout there above such pauses");
    }
    return new RdmaException(lost.reason(), words.toString(), lost);
  }

  private void cancelBound() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  private void cancelLast() {
    if (last != null) {
      last.cancel();
      last = null;
    }
  }

  /** Tells those who wait for the end or the close. @param cause null if nothing was lost */
  void over(Throwable cause) {
    cancelBound();
    cancelLast();
    if (end == End.WAITING || end == End.SENT) {
      end = End.DONE;
      ending.fail(stream.overCause());
    }
    List<Completable<Void>> close = closing;
    closing = null;
    if (close != null) {
      close.forEach(each -> stream.loop.all(() -> each.complete(null, cause)));
    }
  }
}
