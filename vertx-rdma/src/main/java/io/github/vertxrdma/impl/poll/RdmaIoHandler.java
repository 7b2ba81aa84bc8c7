package io.github.vertxrdma.impl.poll;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Polls completion queues on one event loop; another Netty handler serves sockets. While completions arrive, sockets are polled without
 * blocking. Otherwise the loop polls or sleeps, as its policy decides. To sleep, it arms the queues and blocks in Netty's handler, which
 * watches their fds.
 */
public final class RdmaIoHandler implements IoHandler {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaIoHandler.class);
  private static final long SOCKET_POLL_NANOS = 20_000;
  private static final int TURNS_PER_CLOCK = 4;
  /** Number of polls without completions between checks of clock, sockets and tasks. */
  private static final int POLLS_PER_CHECK = 4;
  /**
   * Number of polls with completions after which {@link #run} returns, because the event loop may be shutting down. Fds of queues are then
   * also no longer watched until the loop sleeps.
   */
  private static final int MAX_TURNS = 64;
  private static final int SLEEP_ATTEMPTS = 4;
  /** Maximum number of completions that share one reading of the clock. */
  private static final int SAME_TIME = 8;
  private static final int ASLEEP = -1;
  private static final long FAILURE_PAUSE_NANOS = 1_000_000_000;

  private final IoHandler sockets;
  private final ThreadAwareExecutor executor;
  private final PollPolicy policy;
  private final NonBlocking nonBlocking = new NonBlocking();
  private CompletionPoller[] pollers = {};
  private ContextInternal dispatcher;
  private boolean hadCompletions;
  private boolean repeating;
  private boolean hadSocketEvent;
  private int busy;
  private long events;
  private int turns;
  private int pollingTurns;
  private long socketsPolledAt = System.nanoTime();

  RdmaIoHandler(IoHandler sockets, ThreadAwareExecutor executor, PollPolicy policy) {
    this.sockets = sockets;
    this.executor = executor;
    this.policy = policy;
  }

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
      LOG.error("An iteration of an event loop failed; the loop continues", e);
      // Pauses, because a permanent failure would use up the processor and fill the disk with log lines.
      LockSupport.parkNanos(FAILURE_PAUSE_NANOS);
      return 0;
    }
  }

  private int turn(IoHandlerContext context) {
    int found = hadCompletions ? pollRepeatedly() : pollQueues();
    hadCompletions = found > 0;
    if (found > 0) {
      return found + pollSocketsIfDue(context);
    }
    if (!context.canBlock()) {
      events++;
      return pollSockets(context);
    }
    PollPolicy current = busy > 0 ? BusyPolicy.KEEPS_CORE : policy;
    long time = System.nanoTime();
    if ((pollers.length > 0 || current.pollsWithoutQueues()) && current.startPolling(time, events, hasUnannounced())) {
      int done = pollLonger(context, current);
      if (done > 0 || !context.canBlock()) {
        return done;
      }
    }
    found = prepareSleep();
    if (found != ASLEEP) {
      return found + pollSockets(context);
    }
    turns = 0;
    pollingTurns = 0;
    current.beforeSleep(time);
    int handled = sockets.run(context);
    socketsPolledAt = System.nanoTime();
    current.afterSleep(socketsPolledAt);
    hadSocketEvent = handled > 0;
    found = pollQueues();
    if (found == 0) {
      // With completions, the socket event was probably that of the queue's fd.
      events += handled > 0 ? handled : context.canBlock() ? 0 : 1;
    }
    return handled + found;
  }

  boolean sleepsAtOnce() {
    return policy.sleepsAtOnce();
  }

  void busy(int change) {
    busy += change;
  }

  /** Returns the number of completions and socket events, plus 1 if peers needed progress. */
  private int pollLonger(IoHandlerContext context, PollPolicy current) {
    int found = 0;
    int handled = 0;
    int left = MAX_TURNS;
    int polls = 0;
    boolean needed = false;
    boolean polling = true;
    takePosted();
    for (CompletionPoller poller : pollers) {
      poller.startPolling();
    }
    try {
      while (polling) {
        int n = pollQueues();
        if (n > 0) {
          found += n;
          polls = 0;
          handled += pollSocketsIfDue(context);
          polling = --left > 0 && handled == 0 && !hasTasks(context);
        } else if (++polls == POLLS_PER_CHECK) {
          polls = 0;
          long time = System.nanoTime();
          if (hadSocketEvent || time - socketsPolledAt > SOCKET_POLL_NANOS) {
            handled += pollSockets(context);
          }
          polling = handled == 0 && context.canBlock() && waitBetweenPolls(current.next(time, events));
        }
      }
    } finally {
      needed = takePosted();
      events += needed || found + handled == 0 && !context.canBlock() ? 1 : 0;
      current.stopPolling(System.nanoTime());
    }
    pollingTurns += MAX_TURNS - left;
    if (pollingTurns >= MAX_TURNS) {
      pollingTurns = 0;
      for (CompletionPoller poller : pollers) {
        poller.pauseWakeups();
      }
    }
    return found + handled + (needed ? 1 : 0);
  }

  private static boolean waitBetweenPolls(PollPolicy.Next next) {
    switch (next) {
      case POLL -> Thread.onSpinWait();
      case YIELD -> Thread.yield();
      case SLEEP -> {}
    }
    return next != PollPolicy.Next.SLEEP;
  }

  private boolean hasUnannounced() {
    for (CompletionPoller poller : pollers) {
      if (poller.hasUnannounced()) {
        return true;
      }
    }
    return false;
  }

  private boolean takePosted() {
    boolean needed = false;
    for (CompletionPoller poller : pollers) {
      needed |= poller.takePosted();
    }
    return needed;
  }

  private int pollQueues() {
    int found = 0;
    CompletionPoller[] all = pollers;
    for (CompletionPoller poller : all) {
      if (!poller.asleep()) {
        found += poller.poll();
      }
    }
    if (found > 0) {
      events += found;
      hadSocketEvent = false;
    }
    return found;
  }

  /** Polls in one Vert.x dispatch until a poll finds nothing. Another dispatch or event loop iteration costs as much as a small message. */
  private int pollRepeatedly() {
    // Copied, because handlers may add or remove queues.
    ContextInternal current = dispatcher;
    ContextInternal before = current == null ? null : current.beginDispatch();
    try {
      int found = pollQueues();
      int sameTime = found;
      for (int more = found; more > 0 && found < CompletionPoller.BATCH; found += more) {
        repeating = sameTime < SAME_TIME;
        more = pollQueues();
        sameTime = repeating ? sameTime + more : more;
      }
      return found;
    } finally {
      repeating = false;
      if (current != null) {
        current.endDispatch(before);
      }
    }
  }

  boolean isRepeating() {
    return repeating;
  }

  /** Arms the queues. Returns {@link #ASLEEP}, or the number of completions found before that. */
  private int prepareSleep() {
    CompletionPoller[] all = pollers;
    for (int attempt = 0; attempt < SLEEP_ATTEMPTS; attempt++) {
      for (CompletionPoller poller : all) {
        if (!poller.asleep() && !poller.prepareSleep()) {
          int found = poller.poll();
          if (found > 0) {
            events += found;
            return found;
          }
        }
      }
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

  private int pollSocketsIfDue(IoHandlerContext context) {
    return ++turns % TURNS_PER_CLOCK == 0 && System.nanoTime() - socketsPolledAt > SOCKET_POLL_NANOS ? pollSockets(context) : 0;
  }

  /** Returns whether tasks wait. Timers are checked only in every {@link #TURNS_PER_CLOCK}th call, because that reads the clock. */
  private boolean hasTasks(IoHandlerContext context) {
    return turns % TURNS_PER_CLOCK != 0 && executor instanceof SingleThreadEventExecutor loop ? loop.pendingTasks() > 0
      : !context.canBlock();
  }

  private int pollSockets(IoHandlerContext context) {
    nonBlocking.context = context;
    int handled = sockets.run(nonBlocking);
    socketsPolledAt = System.nanoTime();
    if (handled > 0) {
      events += handled;
      hadSocketEvent = true;
    }
    return handled;
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    if (!(handle instanceof CompletionPoller poller)) {
      return sockets.register(handle);
    }
    CompletionPoller[] more = Arrays.copyOf(pollers, pollers.length + 1);
    more[pollers.length] = poller;
    pollers(more);
    poller.attached(this);
    return new Registration(poller);
  }

  private void remove(CompletionPoller poller) {
    pollers(Arrays.stream(pollers).filter(p -> p != poller).toArray(CompletionPoller[]::new));
  }

  /** Sets the polled queues. They share a dispatch only if all their handlers have a context. */
  private void pollers(CompletionPoller[] all) {
    pollers = all;
    dispatcher = all.length > 0 && Arrays.stream(all).allMatch(p -> p.context() != null) ? all[0].context() : null;
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> type) {
    return type == CompletionPoller.class || sockets.isCompatible(type);
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

  private final class Registration implements IoRegistration {
    private final CompletionPoller poller;
    private final AtomicBoolean valid = new AtomicBoolean(true);

    Registration(CompletionPoller poller) {
      this.poller = poller;
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
        remove(poller);
      } else {
        executor.execute(() -> remove(poller));
      }
      return true;
    }
  }

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
