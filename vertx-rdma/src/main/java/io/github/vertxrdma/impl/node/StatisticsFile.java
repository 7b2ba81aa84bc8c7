package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.base.Attempts;
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
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Writes the statistics of a node to a file, about once a second while they change. */
final class StatisticsFile {
  private static final Logger LOG = LoggerFactory.getLogger(StatisticsFile.class);
  /** Pauses in ms between writes. They grow while nothing changes. */
  private static final Attempts.Limits PAUSES = Attempts.Limits.endless(1000, 4000, () -> 0.5);
  /** Delay in ms of the first write, so that its classes do not load while the node starts. */
  private static final long FIRST_MILLIS = 3000;
  /** Maximum age of figures in ns. Event loops are then asked even without traffic, because buffers may have been allocated. */
  private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(30);
  /** Period in ns of writes without changes if readers cannot see the file's lock, so that the file's time shows a living process. */
  private static final long TOUCH_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Node node;
  private final Callable<PublishedStatistics> maker;
  private final Deadline next = Deadline.of(this::write);
  private EventLoop loop;
  private BlockingCalls calls;
  private NodeStatistics written;
  /** Value of {@link Node#turns} when the event loops were last asked. */
  private long turns = -1;
  private long askedNanos;
  private long writtenNanos;
  private Attempts pauses = new Attempts(PAUSES);
  private volatile boolean isLockSeen;
  private volatile boolean closed;
  private boolean logged;
  /** Set by one blocking call at a time. */
  private volatile PublishedStatistics file;

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
      // Composed, so that an exception of statistics() fails the future.
      Future.succeededFuture().compose(v -> figures()).compose(now -> isWritten(now) ? Future.succeededFuture()
        : calls.call(() -> put(now)))
        .onFailure(this::failed).onComplete(last -> writeAgain());
    }
  }

  /** Asks the event loops only if their figures may have changed. */
  private synchronized Future<NodeStatistics> figures() {
    long now = node.turns();
    if (written != null && now == turns && System.nanoTime() - askedNanos < ASK_NANOS) {
      return Future.succeededFuture(node.statistics(written.devices()));
    }
    turns = now;
    askedNanos = System.nanoTime();
    return node.statistics();
  }

  private synchronized void writeAgain() {
    if (!closed) {
      writeIn(pauses.pauseMillis());
    }
  }

  private synchronized boolean isWritten(NodeStatistics now) {
    boolean same = written != null && figures(now).equals(figures(written));
    pauses = same ? pauses : new Attempts(PAUSES);
    if (same && (isLockSeen || System.nanoTime() - writtenNanos < TOUCH_NANOS)) {
      return true;
    }
    written = now;
    writtenNanos = System.nanoTime();
    return false;
  }

  /** Returns the figures that are written if one of them changes. */
  private static List<Object> figures(NodeStatistics of) {
    return List.of(of.devices(), of.members(), of.peers(), of.ended(), of.services(), of.regions(), of.errors(), of.ways(),
      of.tcpConnections(), of.connectsFailed(), of.refused());
  }

  /** Blocks. Called by one blocking call at a time. */
  private Void put(NodeStatistics now) throws Exception {
    if (!closed) {
      if (file != null && !file.isInUsedFolder()) {
        file.close();
        file = null;
      }
      if (file == null) {
        file = maker.call();
        isLockSeen = file.isLockSeen();
        node.upkeep.soon();
      }
      file.write(PeerStatistics.encode(now, PublishedStatistics.MOST).toString());
      logged = false;
    }
    return null;
  }

  Path path() {
    PublishedStatistics made = file;
    return made == null ? null : made.path();
  }

  synchronized Future<Void> restore() {
    NodeStatistics last = written;
    return last == null || closed ? Future.succeededFuture()
      : calls.call(() -> file == null || file.isThere() ? null : put(last)).onFailure(this::failed);
  }

  /** Logs a failed write once. The next write retries. */
  private synchronized void failed(Throwable cause) {
    written = null;
    pauses = new Attempts(PAUSES);
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
    return calls.call(() -> {
      if (file != null) {
        file.close();
      }
      return null;
    });
  }
}
