package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.impl.loop.BlockingCalls;
import io.github.vertxrdma.impl.statistics.StatisticsMap;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.concurrent.Callable;

/**
 * Tells tools outside of this process how a node stands, once a second. No event loop waits for a disk: the file is met off them, one at a
 * time.
 */
final class StatisticsFile {
  private static final Logger LOG = LoggerFactory.getLogger(StatisticsFile.class);
  private static final long PERIOD_MILLIS = 1000;
  /** The time after which the file is made: what writes it would be loaded while the node starts, and connects for the first time. */
  private static final long FIRST_MILLIS = 3000;
  /**
   * Periods after which figures that have not changed are written: as text, a hundred idle connections cost more than all else that is
   * idle.
   */
  private static final int QUIET_PERIODS = 10;

  private final Node node;
  private final Callable<StatisticsMap> maker;
  private ContextInternal context;
  private BlockingCalls calls;
  /** Completes with the last write of the file. */
  private Future<Void> done = Future.succeededFuture();
  private NodeStatistics written;
  private int quiet;
  private long timer;
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
      context = node.context;
      calls = new BlockingCalls(context);
      timer = context.setTimer(FIRST_MILLIS, id -> begin());
    }
  }

  private synchronized void begin() {
    if (!closed) {
      timer = context.setPeriodic(PERIOD_MILLIS, id -> write());
      write();
    }
  }

  private synchronized void write() {
    if (done.isComplete() && !closed) {
      done = node.statistics().compose(now -> isWritten(now) ? Future.<Void>succeededFuture() : calls.call(() -> {
        put(PeerStatistics.encode(now, StatisticsMap.MOST).toString());
        return null;
      })).onFailure(this::failed);
    }
  }

  private synchronized boolean isWritten(NodeStatistics now) {
    NodeStatistics before = written;
    if (before != null && ++quiet < QUIET_PERIODS && now.devices().equals(before.devices()) && now.members().equals(before.members())
      && now.services().equals(before.services()) && now.regions().equals(before.regions()) && now.errors().equals(before.errors())
      && now.ways().equals(before.ways()) && now.tcpConnections().equals(before.tcpConnections())
      && now.connectsFailed() == before.connectsFailed() && now.refused() == before.refused()) {
      return true;
    }
    written = now;
    quiet = 0;
    return false;
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
    if (!closed && !told) {
      told = true;
      LOG.warn("./rdma stat cannot tell how this node stands now: " + cause.getMessage());
    }
  }

  /** Removes the file. Idempotent. */
  synchronized Future<Void> close() {
    closed = true;
    if (context == null) {
      return Future.succeededFuture();
    }
    context.owner().cancelTimer(timer);
    return done.transform(last -> calls.call(() -> {
      if (map != null) {
        map.close();
      }
      return null;
    }));
  }
}
