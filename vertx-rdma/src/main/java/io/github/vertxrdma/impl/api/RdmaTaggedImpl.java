package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaTagged;
import io.github.vertxrdma.TaggedMessage;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Matches messages with receives. The lock guards both queues and the sources. Connections are paused and resumed, and futures completed,
 * without the lock, since handlers run then.
 */
public final class RdmaTaggedImpl implements RdmaTagged {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaTaggedImpl.class);
  public static final int MAX_UNEXPECTED = 1024;
  public static final int MAX_UNEXPECTED_BYTES = 16 << 20;
  private static final int TAG_BYTES = Long.BYTES;

  private final VertxInternal vertx;
  private final int maxUnexpected;
  private final int maxUnexpectedBytes;
  private final Map<RdmaConnection, Source> sources = new HashMap<>();
  private final ArrayDeque<Unexpected> unexpected = new ArrayDeque<>();
  private final ArrayDeque<Receive> receives = new ArrayDeque<>();
  private boolean closed;
  private boolean warned;

  private record Unexpected(TaggedMessage message, Source source) {
  }

  private record Receive(long tag, long mask, RdmaConnection source, int maxLength, Promise<TaggedMessage> done) {

    boolean matches(TaggedMessage message) {
      return ((message.tag() ^ tag) & mask) == 0 && (source == null || source == message.source());
    }

    void complete(TaggedMessage message) {
      int length = message.body().length();
      if (length <= maxLength) {
        done.complete(message);
      } else {
        done.fail(new RdmaException(Reason.TRUNCATED, "a message of " + length + " bytes with tag " + hex(message.tag()) + " of node "
          + message.source().remoteNodeId() + " matched a receive of at most " + maxLength + " bytes and is lost. Receive with a "
          + "larger maxLength"));
      }
    }

    @Override
    public String toString() {
      return "a receive of tag " + hex(tag) + (mask == -1 ? "" : ", mask " + hex(mask));
    }
  }

  public RdmaTaggedImpl(Vertx vertx, int maxUnexpected, int maxUnexpectedBytes) {
    if (maxUnexpected < 1 || maxUnexpectedBytes < 1) {
      throw new IllegalArgumentException("invalid limits: maxUnexpected is " + maxUnexpected + " and maxUnexpectedBytes is "
        + maxUnexpectedBytes + "; both must be at least 1");
    }
    this.vertx = (VertxInternal) vertx;
    this.maxUnexpected = maxUnexpected;
    this.maxUnexpectedBytes = maxUnexpectedBytes;
  }

  private static String hex(long bits) {
    return "0x" + Long.toHexString(bits);
  }

  @Override
  public Future<Void> add(RdmaConnection connection) {
    Promise<Void> closing = LoopCall.promise(vertx);
    Source source = new Source(connection, closing, maxUnexpected, maxUnexpectedBytes);
    synchronized (this) {
      if (sources.putIfAbsent(connection, source) != null) {
        throw new IllegalArgumentException("this connection to node " + connection.remoteNodeId() + " was already added");
      }
    }
    connection.exceptionHandler(cause -> ended(source, cause));
    // Uses the end handler, since the close handler may be called before the last message arrives.
    connection.endHandler(ended -> ended(source, null));
    connection.closeHandler(v -> closed(source));
    connection.handler(message -> arrived(source, message));
    return closing.future();
  }

  private void arrived(Source source, Buffer bytes) {
    if (bytes.length() < TAG_BYTES) {
      ended(source, new RdmaException(Reason.PROTOCOL, "node " + source.connection.remoteNodeId() + " sent a message of " + bytes.length()
        + " bytes, which is too short for a tag. Use RdmaTagged at both ends of the connection, or at neither"));
      source.connection.handler(null).shutdown(Duration.ZERO);
      return;
    }
    TaggedMessage message = new TaggedMessage(bytes.getLong(0), bytes.slice(TAG_BYTES, bytes.length()), source.connection);
    Receive receive;
    boolean full = false;
    List<Runnable> failures = List.of();
    List<Source> dropped = List.of();
    synchronized (this) {
      if (closed) {
        return;
      }
      receive = take(receives, waiting -> waiting.matches(message));
      if (receive == null) {
        unexpected.add(new Unexpected(message, source));
        full = source.keep(message.body().length());
        dropped = dropLeftovers(source);
        failures = full ? removeUnmatchable() : failures;
      }
    }
    if (receive != null) {
      complete(receive, message);
    } else if (full) {
      source.pause(true);
      failures.forEach(Runnable::run);
    }
    dropped.forEach(this::resume);
  }

  /** On a virtual thread, completes the receive in a new task, since a listener may block until a later message arrives. */
  private static void complete(Receive receive, TaggedMessage message) {
    ContextInternal context = ((RdmaConnectionImpl) message.source()).context();
    if (context.threadingModel() == ThreadingModel.VIRTUAL_THREAD) {
      LoopCall.execute(context, () -> receive.complete(message));
    } else {
      receive.complete(message);
    }
  }

  private static <E> E take(ArrayDeque<E> from, Predicate<E> matches) {
    for (Iterator<E> waiting = from.iterator(); waiting.hasNext();) {
      E next = waiting.next();
      if (matches.test(next)) {
        waiting.remove();
        return next;
      }
    }
    return null;
  }

  private void ended(Source source, Throwable cause) {
    Throwable why = cause != null ? cause
      : new RdmaException(Reason.CLOSED, "node " + source.connection.remoteNodeId() + " has ended this connection and sends no more "
        + "messages");
    List<Runnable> failures;
    synchronized (this) {
      source.end(why);
      forget(source);
      failures = removeUnmatchable();
    }
    if (cause != null) {
      source.closedPromise.tryFail(cause);
    }
    failures.forEach(Runnable::run);
  }

  private void closed(Source source) {
    List<Source> dropped;
    synchronized (this) {
      source.close();
      forget(source);
      dropped = dropLeftovers(source);
    }
    source.closedPromise.tryComplete();
    dropped.forEach(this::resume);
  }

  /**
   * Drops the oldest unexpected messages of closed connections above the limits of one connection. Otherwise peers that connect, send and
   * close could fill the memory.
   *
   * @return sources to resume without the lock
   */
  private List<Source> dropLeftovers(Source source) {
    if (!source.hasLeftovers()) {
      return List.of();
    }
    List<Source> held = new ArrayList<>();
    int left = 0;
    int dropped = 0;
    long bytes = 0;
    for (Iterator<Unexpected> newestFirst = unexpected.descendingIterator(); newestFirst.hasNext();) {
      Unexpected next = newestFirst.next();
      if (!next.source.hasLeftovers()) {
        continue;
      }
      int length = next.message.body().length();
      // The newest message does not count, since the last message of an open connection may also exceed the byte limit.
      if (left < maxUnexpected && bytes < maxUnexpectedBytes) {
        bytes += left == 0 ? 0 : length;
        left++;
      } else {
        newestFirst.remove();
        dropped++;
        if (next.source.release(length)) {
          held.add(next.source);
        }
      }
    }
    if (dropped > 0 && !warned) {
      warned = true;
      LOG.warn(
        "Unexpected messages of closed connections are dropped, the oldest first: more than " + maxUnexpected + ", or "
          + maxUnexpectedBytes + " bytes, have no matching receive. Post receives before the senders close, or create "
          + "RdmaTagged with a larger maxUnexpected and maxUnexpectedBytes");
    }
    return held;
  }

  private void forget(Source source) {
    if (source.isFinished()) {
      sources.remove(source.connection);
    }
  }

  @Override
  public Future<Void> send(RdmaConnection to, long tag, Buffer message) {
    return to.write(Buffer.buffer(TAG_BYTES + message.length()).appendLong(tag).appendBuffer(message));
  }

  @Override
  public Future<TaggedMessage> receive(long tag, long mask, RdmaConnection source, int maxLength) {
    if (maxLength < 0) {
      throw new IllegalArgumentException("invalid maxLength of a receive: " + maxLength + " bytes");
    }
    Promise<TaggedMessage> done = LoopCall.promise(vertx);
    Receive receive = new Receive(tag, mask, source, maxLength, done);
    Unexpected found;
    boolean resume = false;
    Throwable none = null;
    synchronized (this) {
      found = take(unexpected, waiting -> receive.matches(waiting.message));
      if (found != null) {
        resume = found.source.release(found.message.body().length());
      } else {
        none = mismatchCause(receive);
        if (none == null) {
          receives.add(receive);
        }
      }
    }
    if (found != null) {
      if (resume) {
        resume(found.source);
      }
      receive.complete(found.message);
    } else if (none != null) {
      done.fail(none);
    }
    return done.future();
  }

  /** Resumes the connection unless its source is full by then. Runs on the connection's context. */
  private void resume(Source source) {
    LoopCall.execute(((RdmaConnectionImpl) source.connection).context(), () -> {
      boolean full;
      synchronized (this) {
        full = source.isFull();
      }
      source.pause(full);
    });
  }

  @Override
  public synchronized int unexpected() {
    return unexpected.size();
  }

  /** Returns why no message that may still arrive can match the receive, or null. */
  private Throwable mismatchCause(Receive receive) {
    if (closed) {
      return new RdmaException(Reason.CLOSED, "this RdmaTagged is closed");
    }
    if (receive.source != null) {
      Source source = sources.get(receive.source);
      return source == null ? new RdmaException(Reason.CLOSED, receive + " from node " + receive.source.remoteNodeId()
        + " cannot complete: the connection is closed, or was not added")
        : source.end() != null ? source.end() : source.isFull() ? limitExceeded(receive, source) : null;
    }
    Source full = null;
    for (Source source : sources.values()) {
      if (source.end() == null && !source.isFull()) {
        return null;
      }
      full = source.end() == null ? source : full;
    }
    return full == null ? null : limitExceeded(receive, full);
  }

  private static RdmaException limitExceeded(Receive receive, Source source) {
    return new RdmaException(Reason.LIMIT,
      receive + " matches none of the unexpected messages, and node " + source.connection.remoteNodeId() + " cannot send more until "
        + "these are received: " + source.bound() + " are waiting. Receive them first, or create RdmaTagged with a larger "
        + "maxUnexpected and maxUnexpectedBytes");
  }

  /** @return tasks that fail the removed receives, to be run without the lock */
  private List<Runnable> removeUnmatchable() {
    List<Runnable> failures = new ArrayList<>();
    receives.removeIf(receive -> {
      Throwable cause = mismatchCause(receive);
      return cause != null && failures.add(() -> receive.done.fail(cause));
    });
    return failures;
  }

  @Override
  public void close() {
    List<Runnable> failures;
    List<Source> held = new ArrayList<>();
    synchronized (this) {
      closed = true;
      for (Unexpected dropped : unexpected) {
        if (dropped.source.release(dropped.message.body().length())) {
          held.add(dropped.source);
        }
      }
      unexpected.clear();
      failures = removeUnmatchable();
    }
    held.forEach(this::resume);
    failures.forEach(Runnable::run);
  }
}
