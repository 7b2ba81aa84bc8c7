package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.process.PublishedStatistics;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Publishes the statistics of a node in a file, each second while they change. The file is written by a worker thread. */
final class StatisticsFile {
  private static final Logger LOG = LoggerFactory.getLogger(StatisticsFile.class);
  private static final long PERIOD_MILLIS = 1000;
  /** Maximum pause while nothing changes. Pauses double. */
  private static final long LONGEST_MILLIS = 4000;
  /** Delays the first write, whose classes would load while the node starts. */
  private static final long FIRST_MILLIS = 3000;
  /** Period of writes of unchanged statistics, which restore a file that others removed. */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(15);
  /** The same if readers do not see the lock of the file: its time shows them that the process lives. */
  private static final long TOUCH_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Node node;
  private final Callable<PublishedStatistics> maker;
  private final Deadline next = Deadline.of(this::write);
  private EventLoop loop;
  private BlockingCalls calls;
  private Future<Void> done = Future.succeededFuture();
  private NodeStatistics written;
  private long writtenNanos;
  private volatile long quietNanos = TOUCH_NANOS;
  private long pauseMillis;
  private boolean closed;
  private boolean logged;
  /** Accessed by one blocking call at a time. */
  private PublishedStatistics map;

  StatisticsFile(Node node, Callable<PublishedStatistics> maker) {
    this.node = node;
    this.maker = maker;
  }

  synchronized void start() {
    if (node.options().isStatistics() && !closed) {
      loop = node.context.nettyEventLoop();
      calls = new BlockingCalls(node.context);
      writeIn(FIRST_MILLIS);
    }
  }

  private void writeIn(long millis) {
    LoopCall.execute(loop, () -> EventLoopHost.deadlines(loop).set(next, millis, TimeUnit.MILLISECONDS));
  }

  private synchronized void write() {
    if (!closed) {
      // An exception of statistics() fails the future too.
      Future<NodeStatistics> figures = Future.succeededFuture().compose(v -> node.statistics());
      done = figures.compose(now -> isWritten(now) ? Future.<Void>succeededFuture() : calls.call(() -> {
        put(PeerStatistics.encode(now, PublishedStatistics.MOST).toString());
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
    if (same && System.nanoTime() - writtenNanos < quietNanos) {
      return true;
    }
    written = now;
    writtenNanos = System.nanoTime();
    return false;
  }

  private static boolean hasSameFigures(NodeStatistics now, NodeStatistics before) {
    return now.devices().equals(before.devices()) && now.members().equals(before.members())
      && now.peers().equals(before.peers()) && now.ended().equals(before.ended())
      && now.services().equals(before.services()) && now.regions().equals(before.regions()) && now.errors().equals(before.errors())
      && now.ways().equals(before.ways()) && now.tcpConnections().equals(before.tcpConnections())
      && now.connectsFailed() == before.connectsFailed() && now.refused() == before.refused();
  }

  private void put(String text) throws Exception {
    if (map == null) {
      map = maker.call();
      quietNanos = map.isLockSeen() ? QUIET_NANOS : TOUCH_NANOS;
    }
    map.write(text);
    logged = false;
  }

  /** Retries: a full disk may have room later. */
  private synchronized void failed(Throwable cause) {
    written = null;
    pauseMillis = PERIOD_MILLIS;
    if (!closed && !logged) {
      logged = true;
      LOG.warn("./rdma stat cannot show the current statistics of this node: " + RuntimeFolder.words(cause));
    }
  }

  synchronized Future<Void> close() {
    closed = true;
    if (loop == null) {
      return Future.succeededFuture();
    }
    LoopCall.execute(loop, next::cancel);
    return done.transform(last -> calls.call(() -> {
      if (map != null) {
        map.close();
      }
      return null;
    }));
  }
}
