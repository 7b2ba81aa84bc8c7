package io.github.vertxrdma.grpc.impl;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayDeque;

/** Send queue of one side of a call, with its credits. Messages wait until the peer has consumed earlier ones. */
abstract class Sender {
  private static final int DEFAULT_MAX = 16;
  private static final int[] NONE = {};

  /** @param body null for a frame with only a head or the end */
  record Item(CallFrame.Body body, boolean end) {
  }

  private record Waiting(Item item, Promise<Void> sent) {
  }

  final ContextInternal context;
  /** Queue, null until needed: the only message of most calls is not queued. */
  private ArrayDeque<Waiting> waiting;
  private long credit;
  private long sent;
  /** Ring buffer with the lengths of messages that the peer has not consumed. */
  private int[] unread = NONE;
  private int firstUnread;
  private int unreadCount;
  private long unreadBytes;
  volatile int max = DEFAULT_MAX;
  private volatile int length;
  private volatile boolean full;
  volatile Handler<Void> drainHandler;
  private Throwable ended;

  Sender(ContextInternal context) {
    this.context = context;
  }

  /** Returns whether the call has begun or can begin now. Called before the first frame of each attempt. */
  abstract boolean ready();

  abstract Future<Void> transmit(Item item);

  /** Returns whether the connection's write queue is full. */
  abstract boolean connectionFull();

  final Future<Void> queue(Item item) {
    if (ended != null) {
      return context.failedFuture(ended);
    }
    if (isEmpty() && maySend(item)) {
      return sendNow(item);
    }
    if (waiting == null) {
      waiting = new ArrayDeque<>(4);
    }
    Promise<Void> sent = context.promise();
    waiting.add(new Waiting(item, sent));
    length = waiting.size();
    if (length >= max) {
      full = true;
    }
    return sent.future();
  }

  private boolean isEmpty() {
    return waiting == null || waiting.isEmpty();
  }

  private boolean maySend(Item item) {
    return ready() && (item.body() == null || credit > 0 && unreadBytes < MessageReader.MOST_BYTES);
  }

  private Future<Void> sendNow(Item item) {
    if (item.body() != null) {
      credit--;
      sent += item.body.length();
      if (!item.end()) {
        // The last message is not counted, because none follows.
        addUnread((int) item.body.length());
      }
    }
    return transmit(item);
  }

  final void pump() {
    while (!isEmpty() && maySend(waiting.peek().item)) {
      Waiting next = waiting.poll();
      length = waiting.size();
      sendNow(next.item).onComplete(next.sent);
    }
    drained();
  }

  final void resetCredit(int window) {
    credit = window;
    unreadCount = 0;
    unreadBytes = 0;
  }

  private void addUnread(int length) {
    if (unreadCount == unread.length) {
      int[] larger = new int[Math.max(4, 2 * unreadCount)];
      for (int i = 0; i < unreadCount; i++) {
        larger[i] = unread[(firstUnread + i) % unreadCount];
      }
      unread = larger;
      firstUnread = 0;
    }
    unread[(firstUnread + unreadCount++) % unread.length] = length;
    unreadBytes += length;
  }

  final void credit(int messages) {
    for (int n = Math.min(messages, unreadCount); n > 0; n--) {
      unreadBytes -= unread[firstUnread];
      firstUnread = (firstUnread + 1) % unread.length;
      unreadCount--;
    }
    credit += messages;
    if (credit > Integer.MAX_VALUE) {
      throw new FrameException("an invalid credit for " + credit + " more messages of a call");
    }
    pump();
  }

  final long sent() {
    return sent;
  }

  /** Calls the drain handler in a separate task if the queue has drained. */
  final void drained() {
    Handler<Void> handler = drainHandler;
    if (full && length <= max / 2 && !connectionFull()) {
      full = false;
      if (handler != null) {
        context.runOnContext(handler);
      }
    }
  }

  final void abandon(Throwable cause) {
    if (ended == null) {
      ended = cause;
      length = 0;
      while (!isEmpty()) {
        Promise<Void> sent = waiting.poll().sent;
        CallLink.dispatch(context, () -> sent.tryFail(cause));
      }
      drained();
    }
  }

  public final boolean writeQueueFull() {
    if (length >= max || connectionFull()) {
      full = true;
      return true;
    }
    return false;
  }
}
