package io.github.vertxrdma.impl.loop;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.vertx.core.Closeable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The I/O event loops of a Vert.x, with hooks that run when its other parts are closed.
 *
 * <p>Vert.x closes its parts in this order: close hooks, verticles, event bus, cluster manager, worker pools, event loops. Its close hooks
 * come too early for a resource that verticles use in their {@code stop()}. So the hooks here run later, in two phases. The worker pools of
 * Vert.x are closed in the second phase: calls that block go through {@link BlockingCalls}. Thread-safe.
 */
public final class ClosingEventLoops extends MultiThreadIoEventLoopGroup {
  private static final Logger LOG = LoggerFactory.getLogger(ClosingEventLoops.class);
  /** Time that the hooks have before the event loops end without them. */
  private static final long LIMIT_SECONDS = 10;

  /** Times at which hooks run. */
  public enum Phase {
    /** When the server of the event bus closes, while this node is still in the cluster. Without such a server: before {@link #LOOPS}. */
    CLUSTER,
    /** Before the event loops end. */
    LOOPS
  }

  /** Hooks of phases that have not begun. Guarded by this. */
  private final Map<Closeable, Phase> hooks = new LinkedHashMap<>();
  /** Phases that have begun. Guarded by this. */
  private final Map<Phase, Future<Void>> begun = new EnumMap<>(Phase.class);

  public ClosingEventLoops(int threads, ThreadFactory threadFactory, IoHandlerFactory ioHandlerFactory) {
    super(threads, threadFactory, ioHandlerFactory);
  }

  /**
   * Adds a hook to a phase, or to the close hooks of a Vert.x whose event loops are of another class.
   *
   * @return false if the phase has begun, so that the hook will not run
   */
  public static boolean add(Vertx vertx, Phase phase, Closeable hook) {
    VertxInternal owner = (VertxInternal) vertx;
    return owner.nettyEventLoopGroup() instanceof ClosingEventLoops loops ? loops.add(phase, hook) : owner.closeFuture().add(hook);
  }

  /** Removes a hook that was added. */
  public static void remove(Vertx vertx, Closeable hook) {
    VertxInternal owner = (VertxInternal) vertx;
    if (owner.nettyEventLoopGroup() instanceof ClosingEventLoops loops) {
      loops.remove(hook);
    } else {
      owner.closeFuture().remove(hook);
    }
  }

  private synchronized boolean add(Phase phase, Closeable hook) {
    boolean isOpen = !begun.containsKey(phase);
    if (isOpen) {
      hooks.put(hook, phase);
    }
    return isOpen;
  }

  private synchronized void remove(Closeable hook) {
    hooks.remove(hook);
  }

  /** Runs the hooks of {@link Phase#CLUSTER}. Idempotent. Does nothing in a Vert.x whose event loops are of another class. */
  public static Future<Void> leaveCluster(Vertx vertx) {
    return ((VertxInternal) vertx).nettyEventLoopGroup() instanceof ClosingEventLoops loops ? loops.run(Phase.CLUSTER)
      : Future.succeededFuture();
  }

  private Future<Void> run(Phase phase) {
    Promise<Void> done = Promise.promise();
    List<Closeable> all = new ArrayList<>();
    synchronized (this) {
      Future<Void> before = begun.putIfAbsent(phase, done.future());
      if (before != null) {
        return before;
      }
      hooks.forEach((hook, when) -> {
        if (when == phase) {
          all.add(hook);
        }
      });
      all.forEach(hooks::remove);
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

  /** Runs the hooks, then ends the event loops. */
  @Override
  public io.netty.util.concurrent.Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    // The timer is not Vert.x's: no event loop may be free for it.
    run(Phase.CLUSTER).transform(left -> run(Phase.LOOPS)).toCompletionStage().toCompletableFuture()
      .orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS)
      .whenComplete((v, cause) -> {
        if (cause instanceof TimeoutException) {
          LOG.warn("cannot close RDMA in this Vert.x: it took more than " + LIMIT_SECONDS + " s. Its event loops end without it");
        }
        super.shutdownGracefully(quietPeriod, timeout, unit);
      });
    return terminationFuture();
  }
}
