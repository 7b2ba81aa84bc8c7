package io.github.vertxrdma.impl.loop;

import io.github.vertxrdma.provider.Capabilities.Progress;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.SingleThreadEventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;

/**
 * Drains one completion queue on one event loop. A turn hands over a bounded number of completions, then tasks, timers and sockets of
 * the loop run; when the queue is empty it is armed and the loop may block. Its methods are for the loop's thread, except where they say
 * so.
 */
public final class CompletionPoller implements QueuePoller {
  private static final Logger LOG = LoggerFactory.getLogger(CompletionPoller.class);

  /** Completions handed over at once. */
  static final int BATCH = 64;
  /** Completions of one turn, after which others of the loop run; about 100 µs of work. */
  static final int TURN = 512;
  /** The number of times that one turn may fail to fall asleep before others of the loop run. */
  private static final int SETTLE_ATTEMPTS = 8;

  private final EventLoop loop;
  private final CompletionQueue queue;
  private final CompletionHandler handler;
  private final CompletionBatch batch = new CompletionBatch(BATCH);
  private final Waiter waiter;
  final ProgressTimer timer;
  private final Runnable turnTask = this::scheduledTurn;
  private final Runnable hopTask = this::hop;
  private IoRegistration registration;
  private RdmaIoHandler handledBy;
  private boolean polled;
  private int busy;
  private boolean asleep;
  private boolean scheduled;
  private boolean turning;
  private boolean found;
  private boolean woken;
  private boolean detached;
  private Future<Void> stopped;

  CompletionPoller(EventLoop loop, CompletionQueue queue, Progress progress, CompletionHandler handler) {
    this.loop = loop;
    this.queue = queue;
    this.handler = handler;
    this.timer = new ProgressTimer(loop, this::ready);
    this.waiter = Waiters.choose(this, timer, progress);
  }

  /**
   * Attaches a queue to a loop, which polls it from then on. Off event loops: makes the files and the socket by which peers wake the loop,
   * and loads Netty's native library the first time. The queue stays the caller's, who closes it after {@link #detach}.
   *
   * @param loop of a Vert.x context: {@code ((ContextInternal) context).nettyEventLoop()}
   * @param queue not polled by anyone else
   * @param progress of the queue's domain; with {@link Progress#MANUAL} the queue is also polled by a slow timer, since operations of
   *   peers wait for polls that nothing else asks for
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
      if (loop instanceof IoEventLoop io && io.isCompatible(QueueHandle.class)) {
        registration = io.register(new QueueHandle(this)).syncUninterruptibly().getNow();
        polled = true;
      }
    } catch (Exception e) {
      detachNow();
      promise.fail(e);
      return;
    }
    wake();
    promise.complete(this);
  }

  /** The loop it runs on. Any thread. */
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
    if (handledBy != null) {
      handledBy.busy(change);
    }
    wake();
  }

  /** The loop's handler polls it. */
  void handledBy(RdmaIoHandler io) {
    handledBy = io;
  }

  CompletionQueue queue() {
    return queue;
  }

  @Override
  public void wake() {
    woken = true;
    if (turning || detached) {
      return;
    }
    if (polled) {
      awake();
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
    return EventLoopHost.tryExecute(loop, () -> detachNow().onComplete(promise)) ? promise.future() : Future.succeededFuture();
  }

  private Future<Void> detachNow() {
    if (!detached) {
      if (handledBy != null) {
        handledBy.busy(-busy);
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

  /** The waiter has seen something: polls now, unless a turn is about to come anyhow. */
  void ready() {
    if (scheduled || turning || detached) {
      return;
    }
    if (polled) {
      awake();
    } else {
      turn();
    }
  }

  /** Whether the loop sleeps as soon as it finds nothing, as far as its policy knows: stock ones always do. */
  boolean sleepsAtOnce() {
    return handledBy == null || handledBy.sleepsAtOnce();
  }

  /** It was armed and nothing has happened since. */
  boolean asleep() {
    return asleep;
  }

  /** Whether operations of its own are under way whose end nothing would tell a sleeper. */
  boolean expecting() {
    return !detached && queue.unannounced() > 0;
  }

  /** Whether polling made progress that peers waited for, though nothing completed here, since it was asked last. */
  boolean needed() {
    return !detached && waiter.needed();
  }

  /** It is about to sleep while operations of its own are under way. */
  void sleepsWaiting() {
    try {
      handler.sleepsWaiting();
    } catch (Throwable e) {
      LOG.error("A handler failed before its loop went to sleep", e);
    }
  }

  private void awake() {
    asleep = false;
    waiter.awake();
  }

  /** For the loop's handler: it polls for long. */
  void polledOn() {
    if (!detached) {
      waiter.polled();
    }
  }

  /** For the loop's handler: it is about to poll, which may take the event that the queue was armed for. */
  void rouse() {
    if (!detached) {
      awake();
    }
  }

  /** For the loop's handler: a turn without the attempt to sleep. Returns the number of completions. */
  int poll() {
    turning = true;
    try {
      int done = drain(TURN);
      if ((done > 0 || woken) && !detached) {
        awake();
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
      awake();
      int left = TURN;
      int attempts = SETTLE_ATTEMPTS;
      do {
        left -= drain(left);
      } while (busy == 0 && !settle() && left > 0 && --attempts > 0);
      if (!asleep) {
        again();
      }
    } finally {
      turning = false;
    }
  }

  /** Polls until the queue is empty or the limit is reached, then ends the turn. Returns the number of completions. */
  private int drain(int limit) {
    int done = 0;
    try {
      int n;
      do {
        n = queue.poll(batch);
        if (n > 0) {
          done += n;
          deliver();
        }
        // A batch that was not full had all there was: tasks that wait for these completions come before another look.
      } while (n == BATCH && done < limit && !detached);
    } catch (Throwable e) {
      // Also an error: past here it would end the event loop.
      fail(e);
    }
    found = done > 0;
    if (found) {
      timer.busy();
    }
    if (!detached) {
      woken = false;
      endTurn(waiter.waited());
    }
    return done;
  }

  private void deliver() {
    try {
      handler.completions(batch);
    } catch (Throwable e) {
      LOG.error("A handler of completions failed; the other completions of its batch may be lost", e);
    }
  }

  private void endTurn(boolean waited) {
    try {
      if (waited) {
        handler.peersWait();
      }
      handler.turnEnd();
    } catch (Throwable e) {
      LOG.error("A handler failed at the end of its turn", e);
    }
  }

  /** Arms the queue. True if the loop may sleep, as far as this queue goes. */
  boolean settle() {
    try {
      if (detached) {
        return true;
      }
      if (woken || !waiter.settle(found)) {
        return false;
      }
      asleep = true;
      timer.sleep(waiter.longestSleep());
    } catch (Throwable e) {
      fail(e);
    }
    return true;
  }

  private void fail(Throwable cause) {
    LOG.error("A completion queue cannot be polled any more and was detached from its event loop", cause);
    detachNow();
    handler.failed(cause);
  }

  /** Another turn, after sockets, timers and tasks had theirs. */
  private void again() {
    scheduled = true;
    atEndOfIteration(hopTask);
  }

  private void hop() {
    loop.execute(turnTask);
  }

  // A task that adds itself to the loop's queue would keep sockets and timers out for up to a second (the loop's quantum for tasks);
  // what is added to the queue at the end of an iteration runs in the next one, after them.
  private void atEndOfIteration(Runnable task) {
    if (loop instanceof SingleThreadEventLoop single) {
      single.executeAfterEventLoopIteration(task);
    } else {
      loop.execute(task);
    }
  }
}
