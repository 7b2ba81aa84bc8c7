package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Completable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Orderly close of a link, see docs/protocol.adoc.
 *
 * <p>Only the side whose CLOSE is acknowledged knows that all its messages were delivered.
 */
final class Closing {
  /** Time for the peer to close the endpoint after CLOSE_ACK. Then this side closes it. */
  private static final int LINGER_MILLIS = 2_000;
  /** Time to wait after a disconnect for a CLOSE_ACK that is still in the completion queue. */
  private static final int ACK_GRACE_MILLIS = 500;
  /** Time to wait after a disconnect until the control connection reports the peer's death. */
  private static final int REPORT_MILLIS = 900;
  private static final int CHECKS = 4;

  private final Link link;
  private final FrameStream stream;
  private final MessageSender sender;
  private final MessageReceiver receiver;
  private List<Completable<Void>> closing;
  private Deadline timer;
  private boolean bounded;
  private long until;
  private Deadline last;
  private long progress;
  private int checksWithoutProgress;
  private boolean ended;
  private boolean acknowledgementDue;
  /** Failure of the close if the peer sent CLOSE before it had received all messages; otherwise null. */
  private Throwable lossCause;
  private boolean acknowledged;

  Closing(Link link, FrameStream stream, MessageSender sender, MessageReceiver receiver) {
    this.link = link;
    this.stream = stream;
    this.sender = sender;
    this.receiver = receiver;
  }

  void peerEnded() {
    notifyEnded();
    stream.out.control(Frame.END_ACK);
  }

  private void notifyEnded() {
    if (!ended) {
      ended = true;
      link.ended();
    }
  }

  private boolean isTaken() {
    return sender.isTaken() && link.rmaPending() == 0;
  }

  private String undelivered() {
    return sender.pendingBytes() + " bytes were not sent, and the peer has not read " + sender.unread() + " parts of large messages";
  }

  void close(Completable<Void> done) {
    if (begin(done)) {
      failWithoutProgress();
    }
  }

  void shutdown(long millis, Completable<Void> done) {
    if (begin(done)) {
      endWithin(millis, () -> giveUp("within " + millis + " ms"));
    }
  }

  private void endWithin(long millis, Runnable end) {
    long at = stream.loop.host.nanoTime() + Math.min(TimeUnit.MILLISECONDS.toNanos(millis), Long.MAX_VALUE / 2);
    if (!bounded || at - until < 0) {
      cancel(timer);
      bounded = true;
      until = at;
      timer = stream.loop.host.schedule(end, millis, TimeUnit.MILLISECONDS);
    }
  }

  private boolean begin(Completable<Void> done) {
    if (stream.isClosed()) {
      done.succeed();
      return false;
    }
    if (closing == null) {
      closing = new ArrayList<>(1);
    }
    closing.add(done);
    if (stream.state() == LinkState.OPEN) {
      stream.state(LinkState.FLUSHING);
      turnEnd();
    } else if (stream.state() == LinkState.PEER_ENDED) {
      stream.peerLost("the peer has ended", "this side closed the connection after that");
    }
    return !stream.isClosed();
  }

  void failWithoutProgress() {
    if (timer == null && !stream.isClosed()) {
      progress = progress();
      checkProgress(Math.max(1, stream.loop.options.closeIdleMillis() / CHECKS));
    }
  }

  private void checkProgress(int millis) {
    timer = stream.loop.host.schedule(() -> {
      long now = progress();
      checksWithoutProgress = now == progress ? checksWithoutProgress + 1 : 0;
      progress = now;
      if (checksWithoutProgress > CHECKS) {
        giveUp("and made no progress for " + millis * CHECKS + " ms");
      } else {
        checkProgress(millis);
      }
    }, millis, TimeUnit.MILLISECONDS);
  }

  private long progress() {
    return sender.progress() + link.rmaCompleted();
  }

  private void giveUp(String when) {
    stream.fail(isAgreed() ? lossCause : new RdmaException(Reason.TIMEOUT, link.name() + ": the peer did not acknowledge the close "
      + when + "; " + undelivered()));
  }

  void turnEnd() {
    if (stream.isClosed()) {
      return;
    }
    sender.sendEnd();
    if (stream.state() == LinkState.FLUSHING && !sender.isEndDue()) {
      if (isTaken()) {
        stream.state(LinkState.CLOSE_SENT);
        stream.out.control(Frame.CLOSE);
      } else {
        stream.loop.turn.waiting(stream);
      }
    }
    // CLOSE_ACK states that all messages of the peer were delivered.
    if (acknowledgementDue && !receiver.isBusy()) {
      acknowledge();
    }
    if (acknowledged && !stream.isClosed()) {
      // The peer waits for CLOSE_ACK, which could be lost if this side closed the endpoint earlier.
      boolean awaited = stream.state() == LinkState.CLOSE_CROSSED && !stream.out.hasDeliveredAcknowledgement();
      if (!awaited && receiver.unconfirmed() == 0) {
        stream.fail(null);
      } else {
        stream.loop.turn.waiting(stream);
      }
    }
  }

  void peerCloses() {
    acknowledgementDue = true;
    stream.state(stream.state() == LinkState.CLOSE_SENT ? LinkState.CLOSE_CROSSED : LinkState.PEER_CLOSING);
    failWithoutProgress();
    turnEnd();
  }

  void closeAcknowledged() {
    acknowledged = true;
    turnEnd();
  }

  /** Sends CLOSE_ACK. Sends CLOSE first if the peer has received all messages of this side. */
  private void acknowledge() {
    acknowledgementDue = false;
    if (stream.state() == LinkState.PEER_CLOSING) {
      if (isTaken()) {
        stream.state(LinkState.CLOSE_CROSSED);
        stream.out.control(Frame.CLOSE);
      } else {
        lossCause = new RdmaException(Reason.CLOSED, link.name() + ": the peer closed the connection before it had received "
          + "everything: " + undelivered());
        stream.state(LinkState.ACKNOWLEDGED);
        cancel(last);
        last = null;
        endWithin(LINGER_MILLIS, () -> stream.fail(lossCause));
      }
    }
    stream.out.control(Frame.CLOSE_ACK);
    if (lossCause == null && !stream.isClosed()) {
      notifyEnded();
    }
  }

  /** Returns whether the peer has all messages: this side wrote none, or the peer acknowledged END. */
  private boolean isKnownToHaveArrived() {
    return (sender.isEndAcknowledged() || sender.written() == 0) && isTaken();
  }

  void disconnected(ProviderException why) {
    if (Reasons.isByPeer(why) && ended && isKnownToHaveArrived()
      && (stream.state() == LinkState.OPEN || stream.state() == LinkState.PEER_ENDED)) {
      stream.fail(null);
      return;
    }
    Runnable lost = () -> stream.fail(new RdmaException(Reasons.ofEnd(why.reason()), link.name() + ": "
      + Reasons.words(why, link.loop().domain.device()), why));
    if (why.reason() == ProviderException.Reason.DISCONNECTED && stream.state().isBeforeClose() && isTaken()
      && link.awaitsReportOfDeath()) {
      // Only the control connection can report whether the peer's process ended.
      stream.state(LinkState.PEER_ENDED);
      endIn(REPORT_MILLIS, lost);
    } else {
      peerGone(lost);
    }
  }

  /** @param lost closes the link; runs later if CLOSE_ACK may still arrive */
  void peerGone(Runnable lost) {
    if (last != null && !link.hasPeerEnded()) {
      return;
    }
    if (stream.state() != LinkState.CLOSE_CROSSED || isAgreed()) {
      lost.run();
    } else {
      endIn(ACK_GRACE_MILLIS, lost);
    }
  }

  private void endIn(int millis, Runnable lost) {
    if (last == null) {
      last = stream.loop.host.schedule(lost, millis, TimeUnit.MILLISECONDS);
    }
  }

  boolean isAgreed() {
    return acknowledged || stream.state() == LinkState.ACKNOWLEDGED;
  }

  /** Returns whether the peer closed the link before it had received all messages of this side, and nothing else went wrong. */
  boolean isByPeer(Throwable cause) {
    return cause != null && cause == lossCause;
  }

  boolean isAcknowledged() {
    return acknowledged;
  }

  /** Adds details to the cause of a lost connection. After an acknowledged close, returns null, or the failure if messages were lost. */
  Throwable explained(Throwable why) {
    if (!(why instanceof RdmaException lost) || lost.reason() != Reason.CONNECTION_LOST) {
      return why;
    }
    if (isAgreed()) {
      return lossCause;
    }
    int held = receiver.unconfirmed();
    long still = stream.loop.liveness.stallMillis();
    if (held == 0 && still == 0) {
      return why;
    }
    StringBuilder words = new StringBuilder(lost.getMessage());
    if (held > 0) {
      words.append("; messages that this side read but did not deliver, since the peer did not confirm that its memory was still "
        + "unchanged: ").append(held);
    }
    if (still > 0) {
      words.append("; this process or its event loop did not run for ").append(still).append(" ms. If the whole machine stopped, "
        + "the peer may have declared this node dead: set its deadTimeout longer than such pauses");
    }
    return new RdmaException(lost.reason(), words.toString(), lost);
  }

  private static void cancel(Deadline timer) {
    if (timer != null) {
      timer.cancel();
    }
  }

  void linkClosed(Throwable cause) {
    cancel(timer);
    cancel(last);
    sender.failEnd();
    List<Completable<Void>> close = closing;
    closing = null;
    if (close != null) {
      close.forEach(each -> stream.loop.runAll(() -> each.complete(null, cause)));
    }
  }
}
