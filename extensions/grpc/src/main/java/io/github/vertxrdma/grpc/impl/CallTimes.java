package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.base.Attempts;
import io.vertx.core.Timer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.grpc.common.GrpcError;
import io.vertx.grpc.common.GrpcStatus;
import java.util.concurrent.TimeUnit;

/** Timers of a call at its client: deadline, idle timeout and pauses before repetitions. */
final class CallTimes {
  private final ContextInternal context;
  private final ClientCall<?, ?> call;
  private long idleMillis;
  private Timer idle;
  private Timer deadline;
  private Attempts attempts;
  private Timer pause;

  CallTimes(ContextInternal context, ClientCall<?, ?> call) {
    this.context = context;
    this.call = call;
  }

  void begin(long deadlineNanos) {
    deadline = context.timer(deadlineNanos, TimeUnit.NANOSECONDS);
    deadline.onSuccess(v -> call.fail(GrpcError.CANCELLED, GrpcStatus.DEADLINE_EXCEEDED, null));
  }

  /** Returns the nanoseconds until the deadline, or {@code otherwise} if this side does not enforce one. */
  long left(long otherwise) {
    return deadline == null ? otherwise : Math.max(1, deadline.getDelay(TimeUnit.NANOSECONDS));
  }

  Timer deadline() {
    return deadline;
  }

  void idle(long millis, boolean running) {
    stop(idle);
    idleMillis = millis;
    if (running) {
      restartIdle();
    }
  }

  void restartIdle() {
    if (idleMillis > 0) {
      stop(idle);
      idle = context.timer(idleMillis, TimeUnit.MILLISECONDS);
      idle.onSuccess(v -> call.fail(GrpcError.CANCELLED, GrpcStatus.CANCELLED,
        new IllegalStateException("nothing was received for " + idleMillis + " ms")));
    }
  }

  boolean mayAgain() {
    return attempts().isLeft();
  }

  private Attempts attempts() {
    return attempts == null ? attempts = new Attempts(call.client.attempts) : attempts;
  }

  /**
   * Repeats the call after a pause. Returns false if no attempt or no time is left.
   *
   * @param unseen true if no server has begun the call
   */
  boolean again(boolean unseen) {
    long nanos = attempts().next(unseen, left(0));
    if (nanos == 0) {
      call.again();
    } else if (nanos > 0) {
      call.client.pausing.add(call);
      pause = context.timer(nanos, TimeUnit.NANOSECONDS);
      pause.onSuccess(v -> {
        endPause();
        call.again();
      });
    }
    return nanos >= 0;
  }

  private void endPause() {
    if (pause != null) {
      pause.cancel();
      pause = null;
      call.client.pausing.remove(call);
    }
  }

  void stop() {
    stop(deadline);
    stop(idle);
    endPause();
  }

  private static void stop(Timer timer) {
    if (timer != null) {
      timer.cancel();
    }
  }
}
