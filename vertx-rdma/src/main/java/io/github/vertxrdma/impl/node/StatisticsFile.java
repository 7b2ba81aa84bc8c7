package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.loop.BlockingCalls;
import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.github.vertxrdma.impl.statistics.StatisticsMap;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Writes the figures of a node for tools outside of this process: once a second while they change, and rarely while they do not. No event
 * loop waits for a disk: the file is written off the event loops, one write at a time.
 */
final class StatisticsFile {
  private static final Logger LOG = LoggerFactory.getLogger(StatisticsFile.class);
  private static final long PERIOD_MILLIS = 1000;
  /** Longest pause between two looks at figures that do not change. Each pause is twice as long as the one before. */
  private static final long LONGEST_MILLIS = 4000;
  /** The time after which the file is made: what writes it would be loaded while the node starts, and connects for the first time. */
  private static final long FIRST_MILLIS = 3000;
  /**
   * Time after which figures that have not changed are written: as text, a hundred idle connections cost more than all else that is idle.
   */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Node node;
  private final Callable<StatisticsMap> maker;
  private final Deadline next = Deadline.of(this::write);
  private EventLoop loop;
  private BlockingCalls calls;
  /** Completes with the last write of the file. */
  private Future<Void> done = Future.succeededFuture();
  private NodeStatistics written;
  private long writtenNanos;
  private long pauseMillis;
  private boolean closed;
  private boolean told;
  /** Met by one blocking call at a time. */
  private StatisticsMap map;

  /** @param maker makes the file; may block */
  StatisticsFile(Node node, Callable<StatisticsMap> maker) {
    this.node = node;
    this.maker = maker;
  }

  /** Makes the file after {@link #FIRST_MILLIS}, and keeps it up to date. Any thread. */
  synchronized void start() {
    if (node.options().isStatistics() && !closed) {
      loop = node.context.nettyEventLoop();
      calls = new BlockingCalls(node.context);
      writeIn(FIRST_MILLIS);
    }
  }

  private void writeIn(long millis) {
    EventLoopHost.tryExecute(loop, () -> EventLoopHost.deadlines(loop).set(next, millis, TimeUnit.MILLISECONDS));
  }

  private synchronized void write() {
    if (!closed) {
      // An exception of statistics() fails the future too, so that the file is written again later.
      Future<NodeStatistics> figures = Future.succeededFuture().compose(v -> node.statistics());
      done = figures.compose(now -> isWritten(now) ? Future.<Void>succeededFuture() : calls.call(() -> {
        put(PeerStatistics.encode(now, StatisticsMap.MOST).toString());
        return null;
      })).onFailure(this::failed);
      done.onComplete(last -> writeAgain());
    }
  }

  private synchronized void writeAgain() {
    if (!closed) {
      writeIn(pauseMillis);
    }
  }

  private synchronized boolean isWritten(NodeStatistics now) {
    boolean same = written != null && hasSameFigures(now, written);
    pauseMillis = same ? Math.min(2 * pauseMillis, LONGEST_MILLIS) : PERIOD_MILLIS;
    if (same && System.nanoTime() - writtenNanos < QUIET_NANOS) {
      return true;
    }
    written = now;
    writtenNanos = System.nanoTime();
    return false;
  }

  private static boolean hasSameFigures(NodeStatistics now, NodeStatistics before) {
    return now.devices().equals(before.devices()) && now.members().equals(before.members())
      && now.services().equals(before.services()) && now.regions().equals(before.regions()) && now.errors().equals(before.errors())
      && now.ways().equals(before.ways()) && now.tcpConnections().equals(before.tcpConnections())
      && now.connectsFailed() == before.connectsFailed() && now.refused() == before.refused();
  }

  private void put(String text) throws Exception {
    if (map == null) {
      map = maker.call();
    }
    map.write(text);
    told = false;
  }

  /** Those outside see what was written last, and the node does without; a disk that was full may have room later. */
  private synchronized void failed(Throwable cause) {
    written = null;
    pauseMillis = PERIOD_MILLIS;
    if (!closed && !told) {
      told = true;
      LOG.warn("./rdma stat cannot tell how this node stands now: " + cause.getMessage());
    }
  }

  /** Removes the file. Idempotent. */
  synchronized Future<Void> close() {
    closed = true;
    if (loop == null) {
      return Future.succeededFuture();
    }
    EventLoopHost.tryExecute(loop, next::cancel);
    return done.transform(last -> calls.call(() -> {
      if (map != null) {
        map.close();
      }
      return null;
    }));
  }
}
