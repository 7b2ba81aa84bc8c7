package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.framing.StreamState;
import io.github.vertxrdma.impl.loop.Scheduler;
import io.github.vertxrdma.impl.wire.Frame;
import io.vertx.core.Completable;
import java.util.concurrent.TimeUnit;

/**
 * End of a link's messages and its close, from both sides. What was written goes out first: CLOSE is sent once the peer has all messages, and
 * the peer acknowledges it once it has read what it was told to read. A close waits while the peer takes something, a shutdown for a fixed
 * time. Confined to the loop.
 */
final class Closing {
  /** Time after its acknowledgement in which the peer is to end the endpoint; then this side does. */
  private static final int ACKNOWLEDGED_MILLIS = 2_000;
  /** Looks at whether anything moved, per time that a close may stand still. */
  private static final int LOOKS = 4;

  /** Steps of the end of this side's messages. */
  private enum End { NONE, WAITING, SENT, DONE }

  private final Link link;
  private final FrameStream stream;
  private End end = End.NONE;
  private Completable<Void> ending;
  private Completable<Void> closing;
  private Scheduler.Timer timer;
  private long progress;
  private int looksInVain;
  /** Error for this side's messages that the peer had not taken when its close was acknowledged; null if it had all. */
  private Throwable cut;
  /** The peer has acknowledged the close of this side. */
  private boolean acknowledged;

  Closing(Link link, FrameStream stream) {
    this.link = link;
    this.stream = stream;
  }

  /** Tells whether messages may still be written. */
  boolean takesMessages() {
    return end == End.NONE && stream.state() == StreamState.OPEN;
  }

  // ---- the end of messages

  /** Ends this side's messages. @param done completed when the peer has all of them */
  void end(Completable<Void> done) {
    if (stream.isOver()) {
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

  // ---- the close

  /** Closes in order, however long the peer takes, as long as it takes something. @param done fails if something was not delivered */
  void close(int idleMillis, Completable<Void> done) {
    if (begin(done)) {
      progress = link.progress();
      look(Math.max(1, idleMillis / LOOKS));
    }
  }

  /** Closes in order within a time. @param done fails if something was not delivered by then */
  void shutdown(long millis, Completable<Void> done) {
    boolean begun = begin(done);
    if (begun || stream.state() == StreamState.FLUSHING || stream.state() == StreamState.CLOSE_SENT) {
      cancel();
      timer = stream.loop.host.schedule(() -> giveUp("in " + millis + " ms"), millis, TimeUnit.MILLISECONDS);
    }
  }

  /** @return false if it is closing already, or over */
  private boolean begin(Completable<Void> done) {
    if (stream.isOver()) {
      done.succeed();
      return false;
    }
    Completable<Void> first = closing;
    closing = first == null ? done : (v, e) -> {
      first.complete(v, e);
      done.complete(v, e);
    };
    if (stream.state() != StreamState.OPEN) {
      return false;
    }
    stream.state(StreamState.FLUSHING);
    turnEnd();
    return !stream.isOver();
  }

  private void look(int millis) {
    timer = stream.loop.host.schedule(() -> {
      long now = link.progress();
      looksInVain = now == progress ? looksInVain + 1 : 0;
      progress = now;
      if (looksInVain > LOOKS) {
        giveUp("and took nothing for " + millis * LOOKS + " ms");
      } else {
        look(millis);
      }
    }, millis, TimeUnit.MILLISECONDS);
  }

  private void giveUp(String when) {
    stream.fail(acknowledged ? null : new RdmaException(Reason.TIMEOUT, link.name() + ": the peer did not acknowledge the close " + when + "; "
      + link.undelivered()));
  }

  /** Sends END and CLOSE when it is their turn. */
  void turnEnd() {
    if (end == End.WAITING && link.isPosted()) {
      end = End.SENT;
      stream.out.control(Frame.END);
    }
    if (stream.state() == StreamState.FLUSHING && end != End.WAITING && link.isTaken()) {
      stream.state(StreamState.CLOSE_SENT);
      stream.out.control(Frame.CLOSE);
    }
    acknowledge();
    if (acknowledged && !stream.isOver()) {
      closeAcknowledged();
    }
  }

  /** The peer closes. */
  void peerCloses() {
    switch (stream.state()) {
      case CLOSE_SENT -> {
        stream.state(StreamState.CLOSE_CROSSED);
        stream.out.control(Frame.CLOSE_ACK);
      }
      default -> {
        stream.state(StreamState.PEER_CLOSING);
        acknowledge();
      }
    }
  }

  /** The peer has acknowledged the close of this side. */
  void closeAcknowledged() {
    acknowledged = true;
    // If both close, the acknowledgement that this side owes could be lost with the endpoint; and what was read of the peer's memory, which it
    // takes for delivered, waits for its answer.
    if (stream.out.isDone() && !link.isUnconfirmed()) {
      stream.fail(null);
    } else {
      stream.loop.waiting(stream);
    }
  }

  /** Acknowledges the peer's close once its messages are delivered: those that it named were read before it sent the close. */
  private void acknowledge() {
    if (stream.state() != StreamState.PEER_CLOSING || link.isReceiving()) {
      return;
    }
    cut = link.cut();
    stream.state(StreamState.ACKNOWLEDGED);
    stream.out.control(Frame.CLOSE_ACK);
    if (stream.isOver()) {
      return;
    }
    cancel();
    // The peer ends the endpoint: with it the acknowledgement could be lost.
    timer = stream.loop.host.schedule(this::late, ACKNOWLEDGED_MILLIS, TimeUnit.MILLISECONDS);
    if (cut == null) {
      link.peerClosed();
    }
  }

  /** The peer did not end the endpoint: it has what was sent, as far as the fabric has told. */
  private void late() {
    agreed(!stream.out.hasDeliveredAcknowledgement());
  }

  /** Ends it as agreed: well, or with what was cut off. */
  void agreed() {
    // If the acknowledgement could not go out any more, what went before it need not have arrived.
    agreed(!acknowledged && !stream.out.hasAcknowledgedClose());
  }

  private void agreed(boolean cutOff) {
    if (cut == null && cutOff) {
      cut = new RdmaException(Reason.CONNECTION_LOST, link.name() + ": the peer closed it, and did not take the last that was sent");
    }
    stream.fail(cut);
  }

  /** Tells whether one side's close is acknowledged, and so nothing is left to be known. */
  boolean isAgreed() {
    return acknowledged || stream.state() == StreamState.ACKNOWLEDGED;
  }

  private void cancel() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** Tells those who wait for the end or the close. @param failure for those who are cut off @param cause null if nothing was lost */
  void over(Throwable failure, Throwable cause) {
    cancel();
    if (end == End.WAITING || end == End.SENT) {
      end = End.DONE;
      ending.fail(failure);
    }
    Completable<Void> close = closing;
    closing = null;
    if (close != null) {
      close.complete(null, cause);
    }
  }
}
