package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaDevice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.poll.CompletionHandler;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.github.vertxrdma.impl.poll.QueuePoller;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;

/** Device in raw mode. Confined to its event loop, except methods that {@link RdmaDevice} declares thread-safe. */
final class RdmaDeviceImpl implements RdmaDevice, CompletionHandler {
  private static final int QUEUE_DEPTH = 1 << 14;

  /** Event loop context of the handlers. For a worker or virtual thread, a new context on the owner's event loop. */
  private final ContextInternal context;
  private final LoopHost host;
  private final Domain domain;
  private final CompletionQueue queue;
  private final ClosingScope opened;
  private final List<Condition> conditions = new ArrayList<>();
  private final Promise<Void> closed = Promise.promise();
  private QueuePoller poller;
  private volatile Handler<CompletionBatch> handler;
  private volatile Runnable forget = () -> {
  };
  private Throwable closeCause;
  private boolean closing;

  private record Condition(BooleanSupplier holds, Promise<Void> met) {
  }

  private RdmaDeviceImpl(ContextInternal context, Domain domain, CompletionQueue queue, ClosingScope opened) {
    this.context = context;
    this.host = new EventLoopHost(context);
    this.domain = domain;
    this.queue = queue;
    this.opened = opened;
  }

  public static Future<RdmaDevice> open(ContextInternal owner, Device device, ClosingScope opened) {
    ContextInternal context = owner.isEventLoopContext() ? owner.unwrap()
      : owner.owner().contextBuilder().withEventLoop(owner.nettyEventLoop()).build();
    return BlockingCalls.once(context, () -> {
      Domain domain = device.open();
      try {
        int depth = Math.min(QUEUE_DEPTH, domain.limits().completionQueueDepth());
        return new RdmaDeviceImpl(context, domain, domain.createCompletionQueue(depth), opened);
      } catch (RuntimeException e) {
        domain.close();
        throw e;
      }
    }).compose(RdmaDeviceImpl::attach);
  }

  private Future<RdmaDevice> attach() {
    return host.attach(queue, domain.capabilities().progress(), this).map(attached -> {
      poller = attached;
      // Peers in raw mode do not wake this event loop, so a timer polls the completion queue.
      poller.unwakeable(1);
      forget = opened.add(this::close);
      return (RdmaDevice) this;
    }).recover(cause -> free().transform(done -> Future.failedFuture(cause)));
  }

  @Override
  public Domain domain() {
    return domain;
  }

  @Override
  public CompletionQueue queue() {
    return queue;
  }

  @Override
  public RdmaDevice completionHandler(Handler<CompletionBatch> value) {
    handler = value;
    return this;
  }

  @Override
  public <T> Future<T> run(Callable<T> action) {
    return onLoop(result -> {
      T returned;
      try {
        returned = action.call();
      } catch (Throwable e) {
        poller.wake();
        result.fail(e);
        return;
      }
      poller.wake();
      result.complete(returned);
    });
  }

  @Override
  public Future<Void> until(BooleanSupplier condition) {
    return onLoop(met -> {
      conditions.add(new Condition(condition, met));
      poller.wake();
    });
  }

  /** Returns a promise on the caller's context, or on that of this device for endpoint handlers. */
  private <T> Promise<T> promise() {
    ContextInternal caller = context.owner().getContext();
    return LoopCall.promise(caller != null ? caller : host.inLoop() ? context : context.owner().getOrCreateContext());
  }

  private <T> Future<T> onLoop(Handler<Promise<T>> action) {
    return LoopCall.on(task -> context.emit(task, Runnable::run), promise(), promise -> {
      if (closeCause != null) {
        promise.fail(closeCause);
      } else {
        action.handle(promise);
      }
    });
  }

  @Override
  public void completions(CompletionBatch batch) {
    Handler<CompletionBatch> current = handler;
    if (current != null) {
      context.emit(batch, current);
    }
  }

  @Override
  public void turnEnd() {
    // Iterates over a copy: a condition or its listener may add another one or close the device.
    for (Condition condition : conditions.isEmpty() ? List.<Condition>of() : List.copyOf(conditions)) {
      if (closeCause == null && holds(condition)) {
        conditions.remove(condition);
        condition.met.tryComplete();
      }
    }
  }

  private static boolean holds(Condition condition) {
    try {
      return condition.holds.getAsBoolean();
    } catch (Throwable e) {
      condition.met.tryFail(e);
      return true;
    }
  }

  @Override
  public void failed(Throwable cause) {
    if (closeCause == null) {
      closeCause = cause;
      List<Condition> waiting = List.copyOf(conditions);
      conditions.clear();
      waiting.forEach(condition -> condition.met.tryFail(cause));
    }
  }

  @Override
  public Future<Void> close() {
    forget.run();
    if (!LoopCall.emit(context, this, RdmaDeviceImpl::closeNow)) {
      free().onComplete(v -> closed.tryComplete(), closed::tryFail);
    }
    Promise<Void> done = promise();
    closed.future().onComplete(done);
    return done.future();
  }

  private void closeNow() {
    if (!closing) {
      closing = true;
      failed(new RdmaException(Reason.CLOSED, "device " + domain.device().name() + " was closed by its owner"));
      // Runs in a new task, since the current one may still close endpoints.
      host.execute(() -> poller.detach().compose(detached -> free()).onComplete(v -> closed.tryComplete(), closed::tryFail));
    }
  }

  private Future<Void> free() {
    return host.blocking(() -> {
      queue.close();
      domain.close();
      return null;
    });
  }
}
