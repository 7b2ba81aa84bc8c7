package io.github.vertxrdma.impl.tagged;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaTagged;
import io.github.vertxrdma.TaggedMessage;
import io.github.vertxrdma.impl.connection.RdmaConnectionImpl;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.PromiseInternal;
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
 * Matches messages with receives. Its lock guards the two queues and the sources; it is held for a search, and never while a connection is
 * paused or resumed or a future completes, since handlers run there.
 */
public final class RdmaTaggedImpl implements RdmaTagged {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaTaggedImpl.class);
  /** Messages of a connection that may wait where nobody says otherwise, and bytes of them; as many of all that are closed. */
  public static final int MAX_UNEXPECTED = 1024;
  public static final int MAX_UNEXPECTED_BYTES = 16 << 20;
  /** A message on the wire: its tag, big-endian, and its body. */
  private static final int TAG_BYTES = Long.BYTES;

  private final VertxInternal vertx;
  private final int maxUnexpected;
  private final int maxUnexpectedBytes;
  private final Map<RdmaConnection, Source> sources = new HashMap<>();
  private final ArrayDeque<Unexpected> unexpected = new ArrayDeque<>();
  private final ArrayDeque<Receive> receives = new ArrayDeque<>();
  private boolean closed;
  private boolean warned;

  /** A message that waits. */
  private record Unexpected(TaggedMessage message, Source source) {
  }

  /** A receive that waits. */
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
          + message.source().remoteNodeId() + " matched a receive of at most " + maxLength
          + " and is lost: receive with a larger maxLength"));
      }
    }

    @Override
    public String toString() {
      return "a receive of tag " + hex(tag) + (mask == -1 ? "" : ", mask " + hex(mask));
    }
  }

  /** @param maxUnexpected messages of a connection that may wait @param maxUnexpectedBytes bytes of them */
  public RdmaTaggedImpl(Vertx vertx, int maxUnexpected, int maxUnexpectedBytes) {
    if (maxUnexpected < 1 || maxUnexpectedBytes < 1) {
      throw new IllegalArgumentException(maxUnexpected + " unexpected messages of " + maxUnexpectedBytes + " bytes: at least 1 each");
    }
    this.vertx = (VertxInternal) vertx;
    this.maxUnexpected = maxUnexpected;
    this.maxUnexpectedBytes = maxUnexpectedBytes;
  }

  private static String hex(long bits) {
    return "0x" + Long.toHexString(bits);
  }

  // ---- connections

  @Override
  public Future<Void> add(RdmaConnection connection) {
    PromiseInternal<Void> over = vertx.getOrCreateContext().promise();
    Source source = new Source(connection, over, maxUnexpected, maxUnexpectedBytes);
    synchronized (this) {
      if (sources.putIfAbsent(connection, source) != null) {
        throw new IllegalArgumentException("the connection to node " + connection.remoteNodeId() + " was added before");
      }
    }
    connection.exceptionHandler(cause -> ended(source, cause));
    // An orderly close may be heard before the last messages, their end is not.
    connection.endHandler(ended -> ended(source, null));
    connection.closeHandler(closing -> closed(source));
    connection.handler(message -> arrived(source, message));
    return over.future();
  }

  /** On the connection's context, as all that it says. */
  private void arrived(Source source, Buffer bytes) {
    if (bytes.length() < TAG_BYTES) {
      ended(source, new RdmaException(Reason.PROTOCOL, "node " + source.connection.remoteNodeId() + " sent a message of " + bytes.length()
        + " bytes, which has no tag: both ends of the connection must use tagged messages, or neither"));
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
        dropped = dropLeftBehind(source);
        failures = full ? hopeless() : failures;
      }
    }
    if (receive != null) {
      complete(receive, message);
    } else if (full) {
      source.flow(true);
      failures.forEach(Runnable::run);
    }
    dropped.forEach(this::resume);
  }

  /** Completes in a task of its own on a virtual thread, where a listener may wait for a message that comes later. */
  private static void complete(Receive receive, TaggedMessage message) {
    ContextInternal context = ((RdmaConnectionImpl) message.source()).context();
    if (context.threadingModel() == ThreadingModel.VIRTUAL_THREAD) {
      context.runOnContext(v -> receive.complete(message));
    } else {
      receive.complete(message);
    }
  }

  /** Takes out the first that matches; null if none does. */
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
      : new RdmaException(Reason.CLOSED, "node " + source.connection.remoteNodeId() + " sends nothing more on this connection");
    List<Runnable> failures;
    synchronized (this) {
      source.end(why);
      forget(source);
      failures = hopeless();
    }
    if (cause != null) {
      source.over.tryFail(cause);
    }
    failures.forEach(Runnable::run);
  }

  private void closed(Source source) {
    List<Source> dropped;
    synchronized (this) {
      source.close();
      forget(source);
      dropped = dropLeftBehind(source);
    }
    source.over.tryComplete();
    dropped.forEach(this::resume);
  }

  /**
   * Drops the oldest messages of closed connections beyond what one may leave: peers that come and go would leave any number. All that one
   * of them was allowed to send is kept.
   *
   * @param source whose close or message is the reason to look
   * @return those to be resumed, outside of the lock
   */
  private List<Source> dropLeftBehind(Source source) {
    if (!source.leavesBehind()) {
      return List.of();
    }
    List<Source> held = new ArrayList<>();
    int left = 0;
    int dropped = 0;
    long bytes = 0;
    for (Iterator<Unexpected> newestFirst = unexpected.descendingIterator(); newestFirst.hasNext();) {
      Unexpected next = newestFirst.next();
      if (!next.source.leavesBehind()) {
        continue;
      }
      int length = next.message.body().length();
      // The newest may exceed the bytes by itself, as the last one of a connection may.
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
        "Unexpected messages of closed connections are dropped, the oldest first: more than " + maxUnexpected + ", or " + maxUnexpectedBytes
          + " bytes, wait for a receive. Receive them before their senders close, or create RdmaTagged with a larger maxUnexpected and"
          + " maxUnexpectedBytes");
    }
    return held;
  }

  private void forget(Source source) {
    if (source.isOver()) {
      sources.remove(source.connection);
    }
  }

  // ---- sending and receiving

  @Override
  public Future<Void> send(RdmaConnection to, long tag, Buffer message) {
    return to.write(Buffer.buffer(TAG_BYTES + message.length()).appendLong(tag).appendBuffer(message));
  }

  @Override
  public Future<TaggedMessage> receive(long tag, long mask, RdmaConnection source, int maxLength) {
    if (maxLength < 0) {
      throw new IllegalArgumentException("a receive of at most " + maxLength + " bytes");
    }
    PromiseInternal<TaggedMessage> done = vertx.getOrCreateContext().promise();
    Receive receive = new Receive(tag, mask, source, maxLength, done);
    Unexpected found;
    boolean resume = false;
    Throwable none = null;
    synchronized (this) {
      found = take(unexpected, waiting -> receive.matches(waiting.message));
      if (found != null) {
        resume = found.source.release(found.message.body().length());
      } else {
        none = reasonAgainst(receive);
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

  /** On the connection's context, after what is under way there: whether it is full is asked then. */
  private void resume(Source source) {
    ((RdmaConnectionImpl) source.connection).context().runOnContext(v -> {
      boolean full;
      synchronized (this) {
        full = source.isFull();
      }
      source.flow(full);
    });
  }

  @Override
  public synchronized int unexpected() {
    return unexpected.size();
  }

  // ---- what cannot be

  /** The reason why nothing that can come will match a receive; null if something may. */
  private Throwable reasonAgainst(Receive receive) {
    if (closed) {
      return new RdmaException(Reason.CLOSED, "tagged messages were closed here");
    }
    if (receive.source != null) {
      Source source = sources.get(receive.source);
      return source == null ? new RdmaException(Reason.CLOSED, receive + " from node " + receive.source.remoteNodeId()
        + ": the connection is closed, or was not added")
        : source.end() != null ? source.end() : source.isFull() ? held(receive, source) : null;
    }
    Source full = null;
    for (Source source : sources.values()) {
      if (source.end() == null && !source.isFull()) {
        return null;
      }
      full = source.end() == null ? source : full;
    }
    return full == null ? null : held(receive, full);
  }

  private static RdmaException held(Receive receive, Source source) {
    return new RdmaException(Reason.LIMIT,
      receive + " matches none of the unexpected messages, and node " + source.connection.remoteNodeId()
        + " may send no more before they are received: " + source.bound() + " wait. Receive them first, or create RdmaTagged with"
        + " a larger maxUnexpected and maxUnexpectedBytes");
  }

  /** Takes out the receives that cannot be met any more. @return what fails them, outside of the lock */
  private List<Runnable> hopeless() {
    List<Runnable> failures = new ArrayList<>();
    receives.removeIf(receive -> {
      Throwable cause = reasonAgainst(receive);
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
      failures = hopeless();
    }
    held.forEach(this::resume);
    failures.forEach(Runnable::run);
  }
}
