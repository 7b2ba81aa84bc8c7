package io.github.vertxrdma.grpc.impl;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayDeque;

/** Send queue of one side of a call. Messages wait until the peer has consumed earlier ones. */
final class Sender {
  private static final int DEFAULT_MAX = 16;
  private static final int[] NONE = {};

  /** @param body null for a frame with only a head or the end */
  record Item(CallFrame.Body body, boolean end) {
  }

  interface Output {
    /** Returns whether the call has begun or can begin now. Called before the first frame of each attempt. */
    boolean ready();

    Future<Void> send(Item item);

    boolean full();
  }

  private record Waiting(Item item, Promise<Void> sent) {
  }

  private final ContextInternal context;
  private final Output output;
  /** Queue, null until needed: the only message of most calls is not queued. */
  private ArrayDeque<Waiting> waiting;
  private long credit;
  private long sent;
  /** Ring buffer with the lengths of messages that the peer has not consumed. */
  private int[] unread = NONE;
  private int firstUnread;
  private int unreadCount;
  private long unreadBytes;
  private volatile int max = DEFAULT_MAX;
  private volatile int length;
  private volatile boolean full;
  private volatile Handler<Void> drainHandler;
  private Throwable ended;

  Sender(ContextInternal context, Output output) {
    this.context = context;
    this.output = output;
  }

  Future<Void> send(Item item) {
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
    return output.ready() && (item.body() == null || credit > 0 && unreadBytes < MessageReader.MOST_BYTES);
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
    return output.send(item);
  }

  void pump() {
    while (!isEmpty() && maySend(waiting.peek().item)) {
      Waiting next = waiting.poll();
      length = waiting.size();
      sendNow(next.item).onComplete(next.sent);
    }
    drained();
  }

  void begin(int window) {
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

  void credit(int messages) {
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

  long sent() {
    return sent;
  }

  /** Calls the drain handler in a separate task if the queue has drained. */
  void drained() {
    Handler<Void> handler = drainHandler;
    if (full && length <= max / 2 && !output.full()) {
      full = false;
      if (handler != null) {
        context.runOnContext(handler);
      }
    }
  }

  void end(Throwable cause) {
    if (ended == null) {
      ended = cause;
      length = 0;
      while (!isEmpty()) {
        Promise<Void> sent = waiting.poll().sent;
        FrameChannel.dispatch(context, () -> sent.tryFail(cause));
      }
      drained();
    }
  }

  boolean writeQueueFull() {
    if (length >= max || output.full()) {
      full = true;
      return true;
    }
    return false;
  }

  void setWriteQueueMaxSize(int messages) {
    if (messages < 1) {
      throw new IllegalArgumentException("a write queue of " + messages + " messages is too short: use at least 1");
    }
    max = messages;
  }

  void drainHandler(Handler<Void> handler) {
    drainHandler = handler;
  }
}
