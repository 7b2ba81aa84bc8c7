package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.memory.LazyQueue;
import io.github.vertxrdma.impl.message.MessageSender;
import io.vertx.core.Completable;
import java.util.ArrayList;
import java.util.List;

/**
 * Flushes of a link: each completes once the peer has received what was written before it. Messages that go in frames are there when a PING
 * is answered that was sent behind them, the others once their pieces are acknowledged. One question at a time, for all flushes that are
 * due. Confined to the loop.
 */
final class Flushes {
  /** @param messages written before it, counted from the link's first */
  private record Flush(long messages, Completable<Void> done) {
  }

  private final FrameStream stream;
  private final MessageSender sender;
  private final KeepAlive keepAlive;
  /** Flushes behind messages that are not all posted, in order. */
  private final LazyQueue<Flush> waiting = new LazyQueue<>();
  /** Flushes that the answer to a question completes; empty while none is asked. */
  private List<Flush> asked = List.of();
  private int question;
  /** Pieces that were posted when it was asked. */
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

  /** Completes what the peer has received, and asks for what is posted since. */
  void turnEnd() {
    if (!asked.isEmpty() && keepAlive.answers() - question >= 0 && sender.isRead(pieces)) {
      List<Flush> received = asked;
      asked = List.of();
      received.forEach(flush -> flush.done.succeed());
    }
    // Whoever was told may have flushed again, or have ended the link.
    if (asked.isEmpty() && isPosted(waiting.peek()) && !stream.isOver()) {
      asked = new ArrayList<>();
      while (isPosted(waiting.peek())) {
        asked.add(waiting.poll());
      }
      pieces = sender.pieces();
      question = keepAlive.ask();
    }
  }

  private boolean isPosted(Flush flush) {
    return flush != null && flush.messages <= sender.posted();
  }

  /** Tells those who wait: the link is over. @param failure null if the peer has acknowledged everything */
  void over(Throwable failure) {
    List<Flush> left = new ArrayList<>(asked);
    left.addAll(waiting);
    asked = List.of();
    waiting.clear();
    left.forEach(flush -> flush.done.complete(null, failure));
  }
}
