package io.github.vertxrdma.impl.transport;

import io.netty.channel.Channel;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Limits the time that {@code vertx.close()}, but not a verticle's {@code stop()}, waits for writes of closing channels. Thread-safe. */
final class ClosingLimit {
  static final ClosingLimit NONE = new ClosingLimit();

  private static final Logger LOG = LoggerFactory.getLogger(ClosingLimit.class);
  private static final long LIMIT_SECONDS = 10;
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
  private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Map<Channel, Consumer<String>> closing = new ConcurrentHashMap<>();
  private final Map<String, Undelivered> undelivered = new LinkedHashMap<>();
  private volatile boolean begun;
  private long since;

  private record Undelivered(long bytes, int writes) {
    Undelivered plus(Undelivered other) {
      return new Undelivered(bytes + other.bytes, writes + other.writes);
    }
  }

  void begin() {
    since = System.nanoTime();
    begun = true;
    closing.forEach(this::schedule);
  }

  boolean hasBegun() {
    return begun;
  }

  /** @param giveUp receives the reason at the end of the time, perhaps twice */
  void closing(Channel channel, Consumer<String> giveUp) {
    if (closing.putIfAbsent(channel, giveUp) == null) {
      channel.closeFuture().addListener(closed -> closing.remove(channel));
      // A channel that is added during begin() may be scheduled twice.
      if (begun) {
        schedule(channel, giveUp);
      }
    }
  }

  private void schedule(Channel channel, Consumer<String> giveUp) {
    if (channel.isRegistered()) {
      long nanos = Math.max(LEAST_NANOS, LIMIT_NANOS - (System.nanoTime() - since));
      channel.eventLoop().schedule(() -> giveUp.accept("the peer did not read all bytes within " + LIMIT_SECONDS
        + " s after the start of vertx.close()"), nanos, TimeUnit.NANOSECONDS);
    }
  }

  /** Adds writes to the {@link #report}. */
  synchronized void undelivered(String peer, long bytes, int writes) {
    if (begun) {
      undelivered.merge(peer, new Undelivered(bytes, writes), Undelivered::plus);
    }
  }

  /** Logs one line about all undelivered writes since the last report. */
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
