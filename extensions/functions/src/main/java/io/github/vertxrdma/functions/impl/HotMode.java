package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;

/** Lets a worker's event loop poll during a hot lease. Polling stops {@code idleMillis} after a call, until the next call. */
final class HotMode {
  /** Maximum time after which polling appears on the bill. */
  private static final long BILLED_MILLIS = 500;

  private final Vertx vertx;
  private final WorkerSession session;
  private final long idleMillis;
  private boolean polling;
  private long since;
  private long lastCall;
  private long timer = -1;

  HotMode(Vertx vertx, WorkerSession session, long idleMillis) {
    this.vertx = vertx;
    this.session = session;
    this.idleMillis = idleMillis;
    called();
  }

  void called() {
    lastCall = System.nanoTime();
    if (!polling) {
      polling = true;
      since = lastCall;
      session.connection.setBusyPoll(true);
      session.reportMode((byte) WorkerMode.HOT.ordinal());
      checkIdleIn(idleMillis);
    }
  }

  private void checkIdleIn(long millis) {
    timer = vertx.setTimer(Math.clamp(millis, 1, BILLED_MILLIS), t -> {
      bill();
      long left = idleMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastCall);
      if (left > 0) {
        checkIdleIn(left);
      } else {
        session.reportMode((byte) WorkerMode.WARM.ordinal());
        stop();
      }
    });
  }

  void stop() {
    if (polling) {
      vertx.cancelTimer(timer);
      polling = false;
      bill();
      session.connection.setBusyPoll(false);
    }
  }

  private void bill() {
    long now = System.nanoTime();
    session.lease.hotNanos.add(now - since);
    since = now;
  }
}
