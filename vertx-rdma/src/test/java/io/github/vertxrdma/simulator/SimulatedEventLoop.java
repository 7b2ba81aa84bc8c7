package io.github.vertxrdma.simulator;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.ThreadingModel;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

final class SimulatedEventLoop extends AbstractEventExecutor implements EventLoop {
  private final SimulatedLoop loop;

  private SimulatedEventLoop(SimulatedLoop loop) {
    this.loop = loop;
  }

  static ContextInternal context(VertxInternal vertx, SimulatedLoop loop) {
    ContextInternal context = vertx.contextBuilder().withThreadingModel(ThreadingModel.EVENT_LOOP)
      .withEventLoop(new SimulatedEventLoop(loop)).build();
    loop.context(context);
    return context;
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return loop.isRunning();
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return new Timer(task, delay, unit);
  }

  private final class Timer extends DefaultPromise<Void> implements ScheduledFuture<Void> {
    private final Runnable cancel;

    Timer(Runnable task, long delay, TimeUnit unit) {
      super(SimulatedEventLoop.this);
      cancel = loop.executeAfter(task, delay, unit);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      cancel.run();
      return true;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int compareTo(Delayed other) {
      throw new UnsupportedOperationException();
    }
  }

  @Override
  public EventLoopGroup parent() {
    return null;
  }

  @Override
  public EventLoop next() {
    return this;
  }

  @Override
  public ChannelFuture register(Channel channel) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    throw new UnsupportedOperationException();
  }

  @Deprecated
  @Override
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isShuttingDown() {
    return false;
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    return newSucceededFuture(null);
  }

  @Override
  public Future<?> terminationFuture() {
    return newPromise();
  }

  @Deprecated
  @Override
  public void shutdown() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return false;
  }
}
