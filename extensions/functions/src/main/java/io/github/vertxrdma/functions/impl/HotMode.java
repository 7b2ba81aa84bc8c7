package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;

/** Lets a worker's event loop poll during a hot lease. Polling stops {@code idleMillis} after a call, until the next call. */
final class HotMode {
  /** Maximum time after which polling appears on the bill. */
  private static final long BILLED_MILLIS = 500;

  private final Worker worker;
  private final long idleMillis;
  private WorkerSession session;
  private boolean polling;
  private long since;
  private long lastCall;
  private long timer = -1;

  HotMode(Worker worker, long idleMillis) {
    this.worker = worker;
    this.idleMillis = idleMillis;
  }

  void begin(WorkerSession fresh) {
    end();
    session = fresh.lease().mode == WorkerMode.HOT ? fresh : null;
    called();
  }

  void called() {
    if (session != null) {
      lastCall = System.nanoTime();
      if (!polling) {
        polling = true;
        since = lastCall;
        session.connection.setBusyPoll(true);
        session.reportMode((byte) WorkerMode.HOT.ordinal());
        checkIdleIn(idleMillis);
      }
    }
  }

  private void checkIdleIn(long millis) {
    timer = vertx().setTimer(Math.clamp(millis, 1, BILLED_MILLIS), t -> {
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

  private void stop() {
    if (polling) {
      vertx().cancelTimer(timer);
      polling = false;
      bill();
      session.connection.setBusyPoll(false);
    }
  }

  void end() {
    stop();
    session = null;
  }

  private void bill() {
    long now = System.nanoTime();
    session.lease().hotNanos.add(now - since);
    since = now;
  }

  private Vertx vertx() {
    return worker.context().owner();
  }
}
