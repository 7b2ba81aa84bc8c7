package io.github.vertxrdma.impl.poll;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Closeable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Event loops of a Vert.x with hooks that close resources after the verticles have stopped. Thread-safe.
 *
 * <p>Vert.x closes close hooks, verticles, event bus, cluster manager, worker pools and event loops, in this order.
 */
public final class ClosingEventLoops extends MultiThreadIoEventLoopGroup {
  private static final Logger LOG = LoggerFactory.getLogger(ClosingEventLoops.class);
  private static final long LIMIT_SECONDS = 10;

  public enum Phase {
    /** Hooks that run in leaveCluster(), while this node is in the cluster. If that is not called, they run directly before LOOPS. */
    CLUSTER,
    LOOPS
  }

  /** Hooks of the phases that have not begun. Guarded by this, like {@link #begun}. */
  private final Map<Phase, Set<Closeable>> hooks = new EnumMap<>(Map.of(Phase.CLUSTER, new LinkedHashSet<>(), Phase.LOOPS,
    new LinkedHashSet<>()));
  private final Map<Phase, Future<Void>> begun = new EnumMap<>(Phase.class);

  public ClosingEventLoops(int threads, ThreadFactory threadFactory, IoHandlerFactory ioHandlerFactory) {
    super(threads, threadFactory, ioHandlerFactory);
  }

  /**
   * Adds a hook. If Vert.x has event loops of another class, adds a Vert.x close hook.
   *
   * @return false if the phase has begun, so that the hook will not run
   */
  public static boolean add(Vertx vertx, Phase phase, Closeable hook) {
    VertxInternal owner = (VertxInternal) vertx;
    return owner.nettyEventLoopGroup() instanceof ClosingEventLoops loops ? loops.add(phase, hook) : owner.closeFuture().add(hook);
  }

  public static void remove(Vertx vertx, Closeable hook) {
    VertxInternal owner = (VertxInternal) vertx;
    if (owner.nettyEventLoopGroup() instanceof ClosingEventLoops loops) {
      loops.remove(hook);
    } else {
      owner.closeFuture().remove(hook);
    }
  }

  private synchronized boolean add(Phase phase, Closeable hook) {
    Set<Closeable> waiting = hooks.get(phase);
    if (waiting != null) {
      waiting.add(hook);
    }
    return waiting != null;
  }

  private synchronized void remove(Closeable hook) {
    hooks.values().forEach(waiting -> waiting.remove(hook));
  }

  public static Future<Void> leaveCluster(Vertx vertx) {
    return ((VertxInternal) vertx).nettyEventLoopGroup() instanceof ClosingEventLoops loops ? loops.run(Phase.CLUSTER)
      : Future.succeededFuture();
  }

  private Future<Void> run(Phase phase) {
    Promise<Void> done = Promise.promise();
    Set<Closeable> all;
    synchronized (this) {
      Future<Void> before = begun.putIfAbsent(phase, done.future());
      if (before != null) {
        return before;
      }
      all = hooks.remove(phase);
    }
    Future.join(all.stream().map(ClosingEventLoops::run).toList()).<Void>mapEmpty().otherwiseEmpty().onComplete(done);
    return done.future();
  }

  private static Future<Void> run(Closeable hook) {
    Promise<Void> done = Promise.promise();
    try {
      hook.close(done);
    } catch (RuntimeException e) {
      LOG.warn("cannot close a resource of RDMA", e);
      done.tryComplete();
    }
    return done.future();
  }

  @Override
  public io.netty.util.concurrent.Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    CompletableFuture<Void> closed = run(Phase.CLUSTER).transform(left -> run(Phase.LOOPS)).toCompletionStage().toCompletableFuture();
    limit(closed);
    closed.whenComplete((v, cause) -> {
      if (cause instanceof TimeoutException) {
        LOG.warn("cannot close RDMA in this Vert.x: it took more than " + LIMIT_SECONDS + " s. Its event loops end without "
          + "waiting longer");
      }
      shutdown(quietPeriod, timeout, unit);
    });
    return terminationFuture();
  }

  private void limit(CompletableFuture<Void> closed) {
    try {
      // Uses a JDK thread, because all event loops may be busy.
      closed.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (OutOfMemoryError e) {
      for (EventExecutor loop : this) {
        try {
          loop.schedule(() -> closed.completeExceptionally(new TimeoutException()), LIMIT_SECONDS, TimeUnit.SECONDS);
          return;
        } catch (OutOfMemoryError notStarted) {
          LOG.debug("An event loop has no thread, and cannot limit the time of the close", notStarted);
        }
      }
    }
  }

  /**
   * Ends the event loops. Netty starts each loop's thread for this. If a start fails, Netty skips the later loops, so this method repeats
   * the call.
   */
  private void shutdown(long quietPeriod, long timeout, TimeUnit unit) {
    for (int left = executorCount(); left > 0; left--) {
      try {
        super.shutdownGracefully(quietPeriod, timeout, unit);
        return;
      } catch (OutOfMemoryError e) {
        LOG.debug("An event loop without a thread was ended", e);
      }
    }
  }
}
