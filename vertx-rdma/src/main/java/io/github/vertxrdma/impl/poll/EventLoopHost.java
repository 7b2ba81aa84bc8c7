package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.base.Deadlines;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionQueue;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.security.SecureRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Event loop of a Vert.x context. Thread-safe, except {@link #deadlines()}. */
public class EventLoopHost implements LoopHost {
  private static final Logger LOG = LoggerFactory.getLogger(EventLoopHost.class);
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final FastThreadLocal<Deadlines> DEADLINES = new FastThreadLocal<>();

  private final ContextInternal context;
  private final EventLoop loop;
  private final BlockingCalls calls;

  public EventLoopHost(ContextInternal context) {
    this.context = context;
    this.loop = context.nettyEventLoop();
    this.calls = new BlockingCalls(context);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  @Override
  public boolean inLoop() {
    return loop.inEventLoop();
  }

  @Override
  public Deadlines deadlines() {
    return deadlines(loop);
  }

  /**
   * @throws IllegalStateException if called outside of the loop
   * @throws RejectedExecutionException if called outside of a loop that is shutting down
   */
  public static Deadlines deadlines(EventLoop loop) {
    if (!loop.inEventLoop()) {
      throw Deadlines.misused("set", loop.isShuttingDown());
    }
    Deadlines deadlines = DEADLINES.get();
    if (deadlines == null) {
      deadlines = new Deadlines(System::nanoTime, new Timers(loop));
      DEADLINES.set(deadlines);
    }
    return deadlines;
  }

  private record Timers(EventLoop loop) implements Deadlines.Timers {
    @Override
    public Runnable schedule(Runnable task, long nanos) {
      io.netty.util.concurrent.Future<?> scheduled = loop.schedule(() -> {
        try {
          task.run();
        } catch (Throwable e) {
          LOG.error("A timed task of an event loop failed", e);
        }
      }, nanos, TimeUnit.NANOSECONDS);
      return () -> scheduled.cancel(false);
    }

    @Override
    public boolean inLoop() {
      return loop.inEventLoop();
    }

    @Override
    public boolean isShuttingDown() {
      return loop.isShuttingDown();
    }

    @Override
    public boolean isTerminated() {
      return loop.isTerminated();
    }
  }

  @Override
  public RandomGenerator random() {
    return RANDOM;
  }

  @Override
  public ContextInternal context() {
    return context;
  }

  @Override
  public <T> Future<T> blocking(Callable<T> work) {
    Promise<T> onLoop = Promise.promise();
    calls.call(work).onComplete((result, cause) -> {
      Runnable complete = () -> onLoop.complete(result, cause);
      if (!LoopCall.execute(loop, complete)) {
        loop.terminationFuture().addListener(ended -> complete.run());
      }
    });
    return onLoop.future();
  }

  @Override
  public Future<QueuePoller> attach(CompletionQueue queue, Progress progress, CompletionHandler handler) {
    return blocking(() -> CompletionPoller.attach(loop, queue, progress, handler)).compose(attaching -> attaching.map(poller -> poller));
  }
}
