package io.github.vertxrdma.impl.loop;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Sockets and completion queues in one event loop: a stock handler, and the queues, which are polled in each turn of the loop. Each
 * turn is bounded, then tasks and timers of the loop run. While completions flow, sockets are looked at without blocking; when nothing
 * flows, the policy polls on or lets the queues be armed and the loop block in the stock handler, where their fds are.
 */
public final class RdmaIoHandler implements IoHandler {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaIoHandler.class);
  /** While it polls sockets have a look this often, which costs a system call; turns can be as short as half a µs. */
  private static final long LOOK_NANOS = 20_000;
  /**
   * Turns with completions after which the clock is asked whether it is time for sockets and timers. Whoever sleeps before has looked then.
   */
  private static final int TURNS_PER_CLOCK = 4;
  /** Polls in vain after which tasks, timers and the policy are asked: two looks at the clock, which take about as long as a poll. */
  private static final int POLLS_PER_QUESTION = 4;
  /**
   * Turns with completions after which the event loop gets its own turn, though no task waits: it may be about to shut down; and after
   * which the queues' fds need not be watched.
   */
  private static final int LONGEST_STAY = 64;
  /** The number of tries to fall asleep before tasks get a chance. */
  private static final int SETTLE_ATTEMPTS = 4;
  private static final int ASLEEP = -1;
  /** Pause after a turn that failed. */
  private static final long FAILED_NANOS = 1_000_000_000;

  private final IoHandler sockets;
  private final ThreadAwareExecutor executor;
  private final PollPolicy policy;
  private final NonBlocking nonBlocking = new NonBlocking();
  private CompletionPoller[] pollers = {};
  /** Whether the last turn of the event loop began with completions. */
  private boolean flows;
  /** Whether the last event was of a socket. */
  private boolean socketFlows;
  /** The number of those who want the loop to poll and never sleep. */
  private int busy;
  /** Completions, events of sockets, and turns in which tasks or timers waited. */
  private long events;
  /** Turns with completions since it slept. */
  private int turns;
  /** Those while it polled on. */
  private int turnsAwake;
  private long looked = System.nanoTime();

  RdmaIoHandler(IoHandler sockets, ThreadAwareExecutor executor, PollPolicy policy) {
    this.sockets = sockets;
    this.executor = executor;
    this.policy = policy;
  }

  /**
   * @param sockets makes the stock handlers, epoll's
   * @param policy of each loop
   */
  public static IoHandlerFactory newFactory(IoHandlerFactory sockets, PollPolicies policy) {
    return new IoHandlerFactory() {
      @Override
      public IoHandler newHandler(ThreadAwareExecutor executor) {
        return new RdmaIoHandler(sockets.newHandler(executor), executor, policy.create());
      }

      /** A completion queue belongs to one thread. */
      @Override
      public boolean isChangingThreadSupported() {
        return false;
      }
    };
  }

  @Override
  public int run(IoHandlerContext context) {
    try {
      return turn(context);
    } catch (Throwable e) {
      LOG.error("A turn of an event loop failed; it goes on", e);
      // As stock handlers do: what fails again and again would use up the processor, and the disk by its log.
      LockSupport.parkNanos(FAILED_NANOS);
      return 0;
    }
  }

  private int turn(IoHandlerContext context) {
    int found = drain();
    boolean flowed = flows;
    flows = found > 0;
    if (found > 0) {
      // The way through the event loop takes as long as a small message: no more of them than a batch may have share it.
      for (int more = found; flowed && more > 0 && found < CompletionPoller.BATCH; found += more) {
        more = drain();
      }
      return found + lookInTime(context);
    }
    if (!context.canBlock()) {
      events++;
      return look(context);
    }
    PollPolicy now = busy > 0 ? BusyPolicy.KEEPS_CORE : policy;
    long time = System.nanoTime();
    if ((pollers.length > 0 || now.pollsSocketsAlone()) && now.begins(time, events, expecting())) {
      int done = pollOn(context, now);
      if (done > 0 || !context.canBlock()) {
        return done;
      }
    }
    found = settle();
    if (found != ASLEEP) {
      return found + look(context);
    }
    turns = 0;
    turnsAwake = 0;
    now.sleeps(time);
    int handled = sockets.run(context);
    looked = System.nanoTime();
    now.wakes(looked);
    socketFlows = handled > 0;
    found = drain();
    if (found == 0) {
      // With completions what was handled is the fd that told of them.
      events += handled > 0 ? handled : context.canBlock() ? 0 : 1;
    }
    return handled + found;
  }

  /** Whether the loop sleeps without polling, as far as its policy knows. */
  boolean sleepsAtOnce() {
    return policy.sleepsAtOnce();
  }

  /** So many more, or fewer, want the loop to poll and never sleep. On its thread. */
  void busy(int change) {
    busy += change;
  }

  /**
   * Polls all queues, as long as the policy wants it and no task waits: what comes is handled here, since the way through the event loop
   * would take as long as a small message. Returns what was handled, more than 0 also where only peers needed it.
   */
  private int pollOn(IoHandlerContext context, PollPolicy now) {
    int found = 0;
    int handled = 0;
    int stay = LONGEST_STAY;
    int polls = 0;
    boolean needed = false;
    boolean on = true;
    needed();
    for (CompletionPoller poller : pollers) {
      poller.rouse();
    }
    try {
      while (on) {
        int n = drain();
        if (n > 0) {
          found += n;
          polls = 0;
          handled += lookInTime(context);
          on = --stay > 0 && handled == 0 && !isWaitedFor(context);
        } else if (++polls == POLLS_PER_QUESTION) {
          polls = 0;
          long time = System.nanoTime();
          if (socketFlows || time - looked > LOOK_NANOS) {
            handled += look(context);
          }
          on = handled == 0 && context.canBlock() && again(now.next(time, events));
        }
      }
    } finally {
      needed = needed();
      events += needed || found + handled == 0 && !context.canBlock() ? 1 : 0;
      now.ends(System.nanoTime());
    }
    turnsAwake += LONGEST_STAY - stay;
    if (turnsAwake >= LONGEST_STAY) {
      turnsAwake = 0;
      for (CompletionPoller poller : pollers) {
        poller.polledOn();
      }
    }
    return found + handled + (needed ? 1 : 0);
  }

  private static boolean again(PollPolicy.Next next) {
    switch (next) {
      case POLL -> Thread.onSpinWait();
      case YIELD -> Thread.yield();
      case SLEEP -> {}
    }
    return next != PollPolicy.Next.SLEEP;
  }

  /** Whether a queue has operations of its own under way whose end nothing would tell a sleeper. */
  private boolean expecting() {
    for (CompletionPoller poller : pollers) {
      if (poller.expecting()) {
        return true;
      }
    }
    return false;
  }

  /** Whether peers needed progress of any queue since it was asked last. */
  private boolean needed() {
    boolean needed = false;
    for (CompletionPoller poller : pollers) {
      needed |= poller.needed();
    }
    return needed;
  }

  /** Polls the queues that are not asleep. */
  private int drain() {
    int found = 0;
    CompletionPoller[] all = pollers;
    for (CompletionPoller poller : all) {
      if (!poller.asleep()) {
        found += poller.poll();
      }
    }
    if (found > 0) {
      events += found;
      socketFlows = false;
    }
    return found;
  }

  /** Arms all queues. Returns {@link #ASLEEP}, or how much came meanwhile: its tasks run before anybody looks again. */
  private int settle() {
    CompletionPoller[] all = pollers;
    for (int attempt = 0; attempt < SETTLE_ATTEMPTS; attempt++) {
      for (CompletionPoller poller : all) {
        if (!poller.asleep() && !poller.settle()) {
          int found = poller.poll();
          if (found > 0) {
            events += found;
            return found;
          }
        }
      }
      // One poller's handlers may have woken another one.
      boolean asleep = true;
      for (CompletionPoller poller : all) {
        asleep &= poller.asleep();
      }
      if (asleep) {
        return ASLEEP;
      }
    }
    return 0;
  }

  /** After a turn with completions. */
  private int lookInTime(IoHandlerContext context) {
    return ++turns % TURNS_PER_CLOCK == 0 && System.nanoTime() - looked > LOOK_NANOS ? look(context) : 0;
  }

  /**
   * Whether tasks wait, or timers that are due; for these the clock is asked, which takes as long as a short message. After
   * {@link #lookInTime}.
   */
  private boolean isWaitedFor(IoHandlerContext context) {
    return turns % TURNS_PER_CLOCK != 0 && executor instanceof SingleThreadEventExecutor loop ? loop.pendingTasks() > 0
      : !context.canBlock();
  }

  private int look(IoHandlerContext context) {
    nonBlocking.context = context;
    int handled = sockets.run(nonBlocking);
    looked = System.nanoTime();
    if (handled > 0) {
      events += handled;
      socketFlows = true;
    }
    return handled;
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    if (!(handle instanceof QueueHandle queue)) {
      return sockets.register(handle);
    }
    CompletionPoller[] more = Arrays.copyOf(pollers, pollers.length + 1);
    more[pollers.length] = queue.poller();
    pollers = more;
    queue.poller().handledBy(this);
    queue.registered();
    return new Registration(queue);
  }

  private void remove(QueueHandle queue) {
    pollers = Arrays.stream(pollers).filter(p -> p != queue.poller()).toArray(CompletionPoller[]::new);
    queue.unregistered();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> type) {
    return QueueHandle.class.isAssignableFrom(type) || sockets.isCompatible(type);
  }

  @Override
  public void initialize() {
    sockets.initialize();
  }

  @Override
  public void wakeup() {
    sockets.wakeup();
  }

  @Override
  public void prepareToDestroy() {
    for (CompletionPoller poller : pollers) {
      poller.detach();
    }
    sockets.prepareToDestroy();
  }

  @Override
  public void destroy() {
    sockets.destroy();
  }

  /** A queue's place in the list. */
  private final class Registration implements IoRegistration {
    private final QueueHandle queue;
    private final AtomicBoolean valid = new AtomicBoolean(true);

    Registration(QueueHandle queue) {
      this.queue = queue;
    }

    @Override
    public <T> T attachment() {
      return null;
    }

    @Override
    public long submit(IoOps ops) {
      throw new UnsupportedOperationException("A completion queue is polled; it has no operations to submit");
    }

    @Override
    public boolean isValid() {
      return valid.get();
    }

    @Override
    public boolean cancel() {
      if (!valid.compareAndSet(true, false)) {
        return false;
      }
      if (executor.isExecutorThread(Thread.currentThread())) {
        remove(queue);
      } else {
        executor.execute(() -> remove(queue));
      }
      return true;
    }
  }

  /** The loop's context, except that the stock handler must not block. */
  private static final class NonBlocking implements IoHandlerContext {
    private IoHandlerContext context;

    @Override
    public boolean canBlock() {
      return false;
    }

    @Override
    public long delayNanos(long currentTimeNanos) {
      return context.delayNanos(currentTimeNanos);
    }

    @Override
    public long deadlineNanos() {
      return context.deadlineNanos();
    }

    @Override
    public void reportActiveIoTime(long activeNanos) {
      context.reportActiveIoTime(activeNanos);
    }

    @Override
    public boolean shouldReportActiveIoTime() {
      return context.shouldReportActiveIoTime();
    }
  }
}
