package io.github.vertxrdma.impl.link;

import io.vertx.core.Completable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** Pending flushes of a link, see docs/protocol.adoc. Each completes when the peer has received all earlier messages. */
final class Flushes {
  private record Flush(long messages, Completable<Void> done) {
  }

  private final FrameStream stream;
  private final MessageSender sender;
  private final KeepAlive keepAlive;
  private final ArrayDeque<Flush> waiting = new ArrayDeque<>(1);
  private List<Flush> pinged = List.of();
  private boolean answered;
  private final Runnable onPong = () -> answered = true;
  private long pieces;

  Flushes(FrameStream stream, MessageSender sender, KeepAlive keepAlive) {
    this.stream = stream;
    this.sender = sender;
    this.keepAlive = keepAlive;
  }

  void add(Completable<Void> done) {
    waiting.add(new Flush(sender.written(), done));
    turnEnd();
  }

  void turnEnd() {
    if (!pinged.isEmpty() && answered && sender.isRead(pieces)) {
      List<Flush> received = pinged;
      pinged = List.of();
      received.forEach(flush -> flush.done.succeed());
    }
    // A handler of a completed flush may have flushed again or closed the link.
    if (pinged.isEmpty() && isPosted(waiting.peek()) && !stream.isClosed()) {
      pinged = new ArrayList<>();
      while (isPosted(waiting.peek())) {
        pinged.add(waiting.poll());
      }
      pieces = sender.pieces();
      answered = false;
      keepAlive.ping(onPong);
    }
  }

  private boolean isPosted(Flush flush) {
    return flush != null && flush.messages <= sender.posted();
  }

  /** @param failure null if the peer has acknowledged everything */
  void linkClosed(Throwable failure) {
    List<Flush> left = new ArrayList<>(pinged);
    left.addAll(waiting);
    pinged = List.of();
    waiting.clear();
    left.forEach(flush -> flush.done.complete(null, failure));
  }
}
