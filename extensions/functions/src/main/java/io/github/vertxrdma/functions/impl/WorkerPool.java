package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.SignedCode;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/** Keeps a number of workers leased, each with its own lease, and replaces lost ones. */
final class WorkerPool {
  private static final Logger LOG = LoggerFactory.getLogger(WorkerPool.class);
  private static final Attempts.Limits PAUSES = Attempts.Limits.endless(1_000, 10_000);

  private final FunctionClientImpl client;
  private final LeaseOptions one;
  private final SignedCode code;
  private final Set<LeaseImpl> active = new HashSet<>();
  /** Ended leases without a replacement, oldest first. */
  private final Set<LeaseImpl> lost = new LinkedHashSet<>();
  private int wanted;
  private boolean searching;
  /** Failed searches since the last success; null for none. */
  private Attempts failed;

  WorkerPool(FunctionClientImpl client, LeaseOptions options, SignedCode code) {
    this.client = client;
    this.one = new LeaseOptions(options).setWorkers(1);
    this.code = code;
    this.wanted = options.getWorkers();
  }

  boolean isShort() {
    return active.size() < wanted;
  }

  void leased(LeaseImpl lease) {
    if (isShort()) {
      active.add(lease);
      lost.stream().findFirst().ifPresent(lost::remove);
    } else {
      // The client has ended leases meanwhile, and wants fewer workers.
      lease.end(new FunctionException(Reason.LEASE_ENDED, lease + " has ended: it is not needed any more"));
    }
  }

  void endedByClient(LeaseImpl lease) {
    if ((active.remove(lease) || lost.remove(lease)) && --wanted == 0) {
      client.ended(this);
    }
  }

  void ended(LeaseImpl lease) {
    if (active.remove(lease)) {
      lost.add(lease);
      // Runs after the calls of the lost worker are queued again.
      client.vertx.runOnContext(v -> refill());
    }
  }

  private void refill() {
    if (searching || client.closed || !isShort()) {
      return;
    }
    searching = true;
    client.search(one, code, this).onComplete(done -> {
      searching = false;
      if (done.succeeded()) {
        failed = null;
        refill();
        return;
      }
      if (!client.closed) {
        if (failed == null) {
          failed = new Attempts(PAUSES);
          LOG.warn("Cannot replace a lost worker yet: " + Wire.words(done.cause()) + ". The client searches until a worker is free.");
        }
        client.vertx.setTimer(failed.pauseMillis(), t -> refill());
      }
    });
  }
}
