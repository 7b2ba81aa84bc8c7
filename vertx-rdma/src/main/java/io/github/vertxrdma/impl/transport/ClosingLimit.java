package io.github.vertxrdma.impl.transport;

import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Bounds the time that a Vert.x which is being closed waits for writes of its channels. The time counts from the moment when that close
 * began. It ends channels that are being closed then, and no others: a verticle's {@code stop()} may take longer. One line of the log says
 * what was not delivered. Thread-safe.
 */
final class ClosingLimit {
  /** Limit of channels that belong to no Vert.x. */
  static final ClosingLimit NONE = new ClosingLimit();

  private static final Logger LOG = LoggerFactory.getLogger(ClosingLimit.class);
  private static final long LIMIT_SECONDS = 10;
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
  /** Time that a channel has at least, of which the close begins when the time is nearly over. */
  private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Open channels whose close was requested. */
  private final Set<RdmaChannel> closing = new HashSet<>();
  /** Writes that were given up, by peer. */
  private final Map<String, Undelivered> undelivered = new LinkedHashMap<>();
  private boolean begun;
  private long since;

  private record Undelivered(long bytes, int writes) {
    Undelivered plus(Undelivered other) {
      return new Undelivered(bytes + other.bytes, writes + other.writes);
    }
  }

  /** Called when the close of the Vert.x begins. */
  void begin() {
    List<RdmaChannel> already;
    synchronized (this) {
      begun = true;
      since = System.nanoTime();
      already = new ArrayList<>(closing);
    }
    already.forEach(this::schedule);
  }

  /** Returns whether the close of the Vert.x has begun. */
  synchronized boolean hasBegun() {
    return begun;
  }

  /** Adds a channel whose close was requested. Idempotent. Any thread. */
  void closing(RdmaChannel channel) {
    boolean limited;
    synchronized (this) {
      if (!closing.add(channel)) {
        return;
      }
      limited = begun;
    }
    channel.closeFuture().addListener(closed -> remove(channel));
    if (limited) {
      schedule(channel);
    }
  }

  private synchronized void remove(RdmaChannel channel) {
    closing.remove(channel);
  }

  private void schedule(RdmaChannel channel) {
    if (channel.isRegistered()) {
      long nanos = Math.max(LEAST_NANOS, LIMIT_NANOS - (System.nanoTime() - since));
      channel.eventLoop().schedule(() -> channel.giveUp("the peer did not take all bytes within " + LIMIT_SECONDS
        + " s from the begin of vertx.close()"), nanos, TimeUnit.NANOSECONDS);
    }
  }

  /** Adds writes to a peer that were given up. */
  synchronized void undelivered(String peer, long bytes, int writes) {
    if (begun) {
      undelivered.merge(peer, new Undelivered(bytes, writes), Undelivered::plus);
    }
  }

  /** Logs what was not delivered. */
  void report() {
    String peers;
    synchronized (this) {
      if (undelivered.isEmpty()) {
        return;
      }
      peers = undelivered.entrySet().stream().map(each -> each.getValue().bytes + " bytes of " + each.getValue().writes + " writes to "
        + each.getKey()).collect(Collectors.joining(", "));
      undelivered.clear();
    }
    LOG.warn("cannot deliver " + peers + ": the peers did not read them in the time that vertx.close() waits, at most " + LIMIT_SECONDS
      + " s. Await the writes before vertx.close(), or find what holds up the readers");
  }
}
