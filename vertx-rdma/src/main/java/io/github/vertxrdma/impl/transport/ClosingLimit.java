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

/** Limits the time that {@code vertx.close()}, but not a verticle's {@code stop()}, waits for writes of closing channels. Thread-safe. */
final class ClosingLimit {
  static final ClosingLimit NONE = new ClosingLimit();

  private static final Logger LOG = LoggerFactory.getLogger(ClosingLimit.class);
  private static final long LIMIT_SECONDS = 10;
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
  private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Set<RdmaChannel> closing = new HashSet<>();
  private final Map<String, Undelivered> undelivered = new LinkedHashMap<>();
  private boolean begun;
  private long since;

  private record Undelivered(long bytes, int writes) {
    Undelivered plus(Undelivered other) {
      return new Undelivered(bytes + other.bytes, writes + other.writes);
    }
  }

  void begin() {
    List<RdmaChannel> already;
    synchronized (this) {
      begun = true;
      since = System.nanoTime();
      already = new ArrayList<>(closing);
    }
    already.forEach(this::schedule);
  }

  synchronized boolean hasBegun() {
    return begun;
  }

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
      channel.eventLoop().schedule(() -> channel.giveUp("the peer did not read all bytes within " + LIMIT_SECONDS + " s after the "
        + "start of vertx.close()"), nanos, TimeUnit.NANOSECONDS);
    }
  }

  synchronized void undelivered(String peer, long bytes, int writes) {
    if (begun) {
      undelivered.merge(peer, new Undelivered(bytes, writes), Undelivered::plus);
    }
  }

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
      + " s. Wait for the writes before vertx.close(), or find out why the peers do not read");
  }
}
