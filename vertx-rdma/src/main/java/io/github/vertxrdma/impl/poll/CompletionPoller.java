package io.github.vertxrdma.impl.poll;

import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.ProviderException;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import io.netty.channel.SingleThreadEventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.concurrent.TimeUnit;

/** Polls one completion queue on one event loop. Confined to the loop unless noted. */
final class CompletionPoller implements QueuePoller, IoHandle {
  private static final Logger LOG = LoggerFactory.getLogger(CompletionPoller.class);

  static final int BATCH = 64;
  /** Maximum number of completions per poll, about 100 µs of work. A later poll delivers the rest. */
  static final int TURN = 512;
  private static final int SLEEP_ATTEMPTS = 8;
  /** Number of successive failed polls after which the queue is detached. */
  static final int MOST_FAILURES = 8;
  private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventLoop loop;
  private final CompletionQueue queue;
  private final CompletionHandler handler;
  private final CompletionBatch batch = new CompletionBatch(BATCH);
  private final Waiter waiter;
  final ProgressTimer timer;
  private final Runnable turnTask = this::scheduledTurn;
  private final Runnable executeTurnTask = this::executeTurn;
  private IoRegistration registration;
  private RdmaIoHandler ioHandler;
  private boolean polledByHandler;
  private int busy;
  private boolean asleep;
  private boolean scheduled;
  private boolean turning;
  private boolean lastFound;
  private boolean woken;
  private boolean timed;
  private long time;
  private boolean detached;
  private int failures;
  private boolean logged;
  private int unlogged;
  private long loggedAt;
  private Future<Void> stopped;

  CompletionPoller(EventLoop loop, CompletionQueue queue, Progress progress, CompletionHandler handler) {
    this.loop = loop;
    this.queue = queue;
    this.handler = handler;
    this.timer = new ProgressTimer(loop, this::ready);
    this.waiter = switch (queue.waiting()) {
      case FD -> FdWatch.possible(loop) ? new FdWaiter(this, progress) : new WakeSocketWaiter(this);
      case WAKEUP -> new WakeupWaiter(this, progress);
      case NONE -> new WakeSocketWaiter(this);
    };
  }

  /**
   * Attaches a queue to a loop. Blocks, because it creates files and loads Netty's native library.
   *
   * @param progress of the queue's domain; with {@link Progress#MANUAL} a timer also polls, because operations of peers progress only in
   * polls
   * @return completed on the loop
   */
  public static Future<CompletionPoller> attach(EventLoop loop, CompletionQueue queue, Progress progress, CompletionHandler handler) {
    return new CompletionPoller(loop, queue, progress, handler).attach();
  }

  Future<CompletionPoller> attach() {
    Promise<CompletionPoller> promise = Promise.promise();
    try {
      waiter.prepare();
      loop.execute(() -> start(promise));
    } catch (Exception e) {
      waiter.stop();
      promise.fail(e);
    }
    return promise.future();
  }

  private void start(Promise<CompletionPoller> promise) {
    try {
      waiter.start();
      if (loop instanceof IoEventLoop io && io.isCompatible(CompletionPoller.class)) {
        registration = io.register(this).syncUninterruptibly().getNow();
        polledByHandler = true;
      }
    } catch (Exception e) {
      detachNow();
      promise.fail(e);
      return;
    }
    wake();
    promise.complete(this);
  }

  public EventLoop eventLoop() {
    return loop;
  }

  @Override
  public byte[] wakeAddress() {
    return waiter.wakeAddress();
  }

  @Override
  public void unwakeable(int change) {
    waiter.unwakeable(change);
  }

  @Override
  public void busy(int change) {
    if (detached) {
      return;
    }
    busy += change;
    if (ioHandler != null) {
      ioHandler.busy(change);
    }
    wake();
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    // Queues have no events, because they are polled.
  }

  @Override
  public void close() {
    detach();
  }

  void attached(RdmaIoHandler io) {
    ioHandler = io;
  }

  CompletionQueue queue() {
    return queue;
  }

  ContextInternal context() {
    return handler.context();
  }

  @Override
  public long nanoTime(Scheduler clock) {
    if (!timed) {
      timed = true;
      time = clock.nanoTime();
    }
    return time;
  }

  @Override
  public void wake() {
    // A woken queue is polled before the loop may sleep.
    if (woken) {
      return;
    }
    woken = true;
    if (turning || detached) {
      return;
    }
    if (polledByHandler) {
      cancelSleep();
    } else if (!scheduled) {
      scheduled = true;
      atEndOfIteration(turnTask);
    }
  }

  @Override
  public Future<Void> detach() {
    if (loop.inEventLoop()) {
      return detachNow();
    }
    Promise<Void> promise = Promise.promise();
    return LoopCall.execute(loop, () -> detachNow().onComplete(promise)) ? promise.future() : Future.succeededFuture();
  }

  private Future<Void> detachNow() {
    if (!detached) {
      if (ioHandler != null) {
        ioHandler.busy(-busy);
      }
      detached = true;
      asleep = true;
      timer.stop();
      if (registration != null) {
        registration.cancel();
      }
      stopped = waiter.stop();
    }
    return stopped;
  }

  void ready() {
    if (scheduled || turning || detached) {
      return;
    }
    if (polledByHandler) {
      cancelSleep();
    } else {
      turn();
    }
  }

  boolean sleepsAtOnce() {
    return ioHandler == null || ioHandler.sleepsAtOnce();
  }

  boolean asleep() {
    return asleep;
  }

  boolean hasUnannounced() {
    return !detached && queue.unannounced() > 0;
  }

  boolean takePosted() {
    return !detached && waiter.takePosted();
  }

  void sleepsWaiting() {
    try {
      handler.sleepsWaiting();
    } catch (Throwable e) {
      LOG.error("A task that runs before the event loop waits for events failed; the loop continues", e);
    }
  }

  private void cancelSleep() {
    asleep = false;
    waiter.cancelSleep();
  }

  void pauseWakeups() {
    if (!detached) {
      waiter.pauseWakeups();
    }
  }

  void startPolling() {
    if (!detached) {
      cancelSleep();
      batch.forget();
    }
  }

  int poll() {
    turning = true;
    try {
      int done = drain(TURN);
      if ((done > 0 || woken) && !detached) {
        cancelSleep();
      }
      return done;
    } finally {
      turning = false;
    }
  }

  private void scheduledTurn() {
    scheduled = false;
    ready();
  }

  private void turn() {
    turning = true;
    try {
      cancelSleep();
      int left = TURN;
      int attempts = SLEEP_ATTEMPTS;
      do {
        left -= drain(left);
      } while (busy == 0 && !prepareSleep() && left > 0 && --attempts > 0);
      if (!asleep) {
        scheduleTurn();
      }
    } finally {
      turning = false;
    }
  }

  private int drain(int limit) {
    int done = 0;
    timed &= ioHandler != null && ioHandler.isRepeating();
    try {
      int n;
      do {
        n = queue.poll(batch);
        failures = 0;
        if (n > 0) {
          timed &= done == 0;
          done += n;
          deliver();
        }
      } while (n == BATCH && done < limit && !detached);
      ProviderException failure = n == 0 && !detached ? queue.failure() : null;
      if (failure != null) {
        LOG.warn("All connections of an event loop over one device end: " + failure.getMessage());
        ended(failure);
        return done;
      }
    } catch (Throwable e) {
      // Also catches errors, which would end the event loop.
      done += pollFailed(e);
    }
    lastFound = done > 0;
    if (lastFound) {
      timer.busy();
    }
    if (!detached) {
      woken = failures > 0;
      endTurn();
    }
    return done;
  }

  /** Delivers completions that a failed poll found, because the exception may concern only one connection. */
  private int pollFailed(Throwable cause) {
    if (++failures >= MOST_FAILURES) {
      fail(cause);
      return 0;
    }
    log(cause);
    int found = batch.size();
    if (found > 0) {
      deliver();
    }
    return found;
  }

  private void log(Throwable cause) {
    long now = System.nanoTime();
    if (!logged || now - loggedAt > LOG_NANOS) {
      LOG.error("A poll of a completion queue failed and will be repeated"
        + (unlogged == 0 ? "" : "; " + unlogged + " more polls have failed since the last such line"), cause);
      logged = true;
      loggedAt = now;
      unlogged = 0;
    } else {
      unlogged++;
    }
  }

  private void deliver() {
    try {
      handler.completions(batch);
    } catch (Throwable e) {
      LOG.error("A handler of completions failed; the other completions of its batch may be lost", e);
    }
    // Otherwise a poll that fails early would deliver these completions again.
    batch.clear();
  }

  private void endTurn() {
    try {
      if (waiter.takeWaiting()) {
        handler.peersWait();
      }
      handler.turnEnd();
    } catch (Throwable e) {
      LOG.error("A task at the end of a poll of completion queues failed; the event loop continues", e);
    }
  }

  /** Arms the queue. Returns false if the queue must be polled before the loop may sleep. */
  boolean prepareSleep() {
    try {
      if (detached) {
        return true;
      }
      if (woken || !waiter.prepareSleep(lastFound)) {
        return false;
      }
      asleep = true;
      timed = false;
      batch.forget();
      timer.sleep(waiter.longestSleep());
    } catch (Throwable e) {
      fail(e);
    }
    return true;
  }

  private void fail(Throwable cause) {
    LOG.error("A completion queue can no longer be polled, so its connections end", cause);
    ended(cause);
  }

  private void ended(Throwable cause) {
    detachNow();
    handler.failed(cause);
  }

  private void scheduleTurn() {
    scheduled = true;
    atEndOfIteration(executeTurnTask);
  }

  private void executeTurn() {
    loop.execute(turnTask);
  }

  // A task that queues itself again can delay sockets and timers by up to a second. Tasks added at the end of an iteration do not.
  private void atEndOfIteration(Runnable task) {
    if (loop instanceof SingleThreadEventLoop single) {
      single.executeAfterEventLoopIteration(task);
    } else {
      loop.execute(task);
    }
  }
}
