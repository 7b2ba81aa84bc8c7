package io.github.vertxrdma.impl.loop;

import static io.github.vertxrdma.impl.loop.TestLoops.join;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.Waiting;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events of sockets are traffic for the poll policy: with the stock handler and the clock simulated, and over TCP. */
@Timeout(60)
class SocketTrafficTest {
  private static final long MICRO = 1_000;
  private static final long WAKE_UP = 50 * MICRO;

  private static final ThreadAwareExecutor EXECUTOR = new ThreadAwareExecutor() {
    @Override
    public boolean isExecutorThread(Thread thread) {
      return true;
    }

    @Override
    public void execute(Runnable command) {
      command.run();
    }
  };

  /** A stock handler in virtual time, which is also the context of its loop: one event arrives at a time. */
  private static final class Sockets implements IoHandler, IoHandlerContext {
    private final RdmaIoHandler handler;
    private long now = 1_000_000_000;
    private long arrival;
    private int looks;
    private int sleeps;

    Sockets(PollPolicy policy, boolean fabrics) {
      handler = new RdmaIoHandler(this, EXECUTOR, policy, () -> fabrics, () -> now += 20);
    }

    /** Runs the loop until it has handled the event of a socket that arrives after the given time. */
    void receive(long nanos) {
      arrival = now + nanos;
      while (handler.run(this) == 0) {
        assertTrue(now < arrival + WAKE_UP);
      }
    }

    @Override
    public int run(IoHandlerContext context) {
      if (context.canBlock()) {
        sleeps++;
        now = arrival + WAKE_UP;
      } else {
        looks++;
        now += MICRO;
      }
      return now >= arrival ? 1 : 0;
    }

    @Override
    public boolean canBlock() {
      return true;
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
      return Long.MAX_VALUE;
    }

    @Override
    public long deadlineNanos() {
      return -1;
    }

    @Override
    public void reportActiveIoTime(long activeNanos) {
    }

    @Override
    public boolean shouldReportActiveIoTime() {
      return false;
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
      return false;
    }

    @Override
    public void wakeup() {
    }
  }

  private static AdaptivePolicy adaptive() {
    WakeUpCost cost = new WakeUpCost();
    for (int i = 0; i < 8; i++) {
      cost.measured(WAKE_UP);
    }
    return new AdaptivePolicy(cost, task -> {}, new Contention(() -> 1, () -> 0, 2), new AtomicInteger(), 1);
  }

  private static Sockets with(PollPolicy policy, boolean fabrics, int events, long gap) {
    Sockets sockets = new Sockets(policy, fabrics);
    for (int i = 0; i < events; i++) {
      sockets.receive(gap);
    }
    return sockets;
  }

  @Test
  void loopWithoutQueuePollsWhileItsSocketsCarryTraffic() {
    Sockets sockets = with(adaptive(), true, 1_000, 20 * MICRO);
    assertTrue(sockets.sleeps < 20, sockets.sleeps + " sleeps");
    assertTrue(sockets.looks > 1_000 && sockets.looks < 40_000, sockets.looks + " looks");
  }

  @Test
  void loopWhoseSocketsBecomeSilentSleepsAfterTheCostOfAWakeUp() {
    Sockets sockets = with(adaptive(), true, 1_000, 20 * MICRO);
    int looks = sockets.looks;
    int sleeps = sockets.sleeps;
    sockets.receive(1_000_000 * MICRO);
    assertEquals(sleeps + 1, sockets.sleeps);
    assertTrue(sockets.looks - looks <= WAKE_UP / MICRO, sockets.looks - looks + " looks");
  }

  @Test
  void loopWithRareEventsOfSocketsNeverAsksThePolicy() {
    Sockets sockets = with(new BusyPolicy(), true, 1_000, 20_000 * MICRO);
    assertEquals(0, sockets.looks);
    assertEquals(1_000, sockets.sleeps);
  }

  @Test
  void socketsAreTheStockHandlersWhereNoFabricIsUsed() {
    Sockets sockets = with(new BusyPolicy(), false, 1_000, 20 * MICRO);
    assertEquals(0, sockets.looks);
    assertEquals(1_000, sockets.sleeps);
  }

  @Test
  void blockingLoopNeverPollsItsSockets() {
    Sockets sockets = with(new BlockingPolicy(), true, 1_000, 20 * MICRO);
    assertEquals(0, sockets.looks);
    assertEquals(1_000, sockets.sleeps);
  }

  @Test
  void busyLoopWithoutQueueSleepsWhenItsSocketsBecomeSilent() {
    Sockets sockets = with(new BusyPolicy(), true, 1_000, 20 * MICRO);
    assertTrue(sockets.sleeps <= 2, sockets.sleeps + " sleeps");
    int looks = sockets.looks;
    sockets.receive(1_000_000 * MICRO);
    assertTrue(sockets.looks - looks <= 1_000, sockets.looks - looks + " looks");
  }

  /** Lets a loop poll without a limit, or never, and counts its calls. */
  private static final class Counting implements PollPolicy {
    private final boolean polls;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger found = new AtomicInteger();
    private final AtomicInteger woken = new AtomicInteger();
    private final AtomicInteger wokenByTraffic = new AtomicInteger();
    private volatile boolean asleep;

    Counting(boolean polls) {
      this.polls = polls;
    }

    @Override
    public boolean begin(long now, boolean expecting) {
      begun.incrementAndGet();
      return polls;
    }

    @Override
    public boolean proceed(long now) {
      return true;
    }

    @Override
    public void end(boolean traffic, long now) {
      if (traffic) {
        found.incrementAndGet();
      }
    }

    @Override
    public void sleeps(long now) {
      asleep = true;
    }

    @Override
    public void woke(boolean traffic, long now) {
      asleep = false;
      woken.incrementAndGet();
      if (traffic) {
        wokenByTraffic.incrementAndGet();
      }
    }
  }

  private static IoHandlerFactory epoll(PollPolicy policy) {
    assumeTrue(Epoll.isAvailable(), "epoll is not available here");
    IoHandlerFactory stock = EpollIoHandler.newFactory();
    return executor -> new RdmaIoHandler(stock.newHandler(executor), executor, policy, () -> true, System::nanoTime);
  }

  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.writeAndFlush(message);
    }
  }

  /** Sends a byte a number of times, each after the answer to the one before. */
  private static final class Rounds extends ChannelInboundHandlerAdapter {
    private final AtomicLong answers = new AtomicLong();
    private volatile int left;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      answers.incrementAndGet();
      if (left > 0) {
        left--;
        context.writeAndFlush(message);
      } else {
        ((ByteBuf) message).release();
      }
    }

    void run(Channel channel, int rounds) {
      long end = answers.get() + rounds;
      left = rounds - 1;
      channel.writeAndFlush(channel.alloc().buffer().writeByte(1));
      Await.until(rounds + " answers", () -> answers.get() == end);
    }
  }

  @Test
  void loopOfTcpChannelsPollsInAPingPongAndSleepsWhenIdle() throws Exception {
    Counting policy = new Counting(true);
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, epoll(policy));
    EventLoopGroup servers = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try {
      Rounds rounds = new Rounds();
      Channel server = new ServerBootstrap().group(servers).channel(EpollServerSocketChannel.class).childHandler(new Echo())
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
      Channel client = new Bootstrap().group(loops).channel(EpollSocketChannel.class).handler(rounds).connect(server.localAddress()).sync()
        .channel();
      Await.until("polling finds answers", () -> {
        rounds.run(client, 1_000);
        return policy.found.get() > 100;
      });
      Await.until("the loop sleeps", () -> policy.asleep);
      int begun = policy.begun.get();
      for (int i = 0; i < 20; i++) {
        TimeUnit.MILLISECONDS.sleep(5);
        rounds.run(client, 1);
      }
      assertEquals(begun, policy.begun.get());
    } finally {
      close(loops);
      close(servers);
    }
  }

  /** The stock handler watches the fd of a queue as it watches a socket. */
  @Test
  void wakeUpByTheFdOfAQueueWithoutCompletionsIsNoTraffic() throws Exception {
    Counting policy = new Counting(false);
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, epoll(policy));
    try (FakeQueue queue = new FakeQueue(Waiting.FD)) {
      CompletionPoller poller = join(CompletionPoller.attach(loops.next(), queue, Progress.AUTOMATIC, TestLoops.NOTHING));
      for (int i = 0; i < 20; i++) {
        Await.until("the loop sleeps", () -> policy.asleep && queue.isArmed());
        int woken = policy.woken.get();
        queue.signal();
        Await.until("the loop has been woken", () -> policy.woken.get() > woken);
      }
      assertEquals(0, policy.wokenByTraffic.get());
      queue.offer(1);
      Await.until("the completion was traffic", () -> policy.wokenByTraffic.get() > 0);
      join(poller.detach());
    } finally {
      close(loops);
    }
  }

  private static void close(EventLoopGroup loops) throws InterruptedException {
    loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }
}
