package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.EndpointDirectory;
import io.github.vertxrdma.directory.EndpointEntry;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.Lease;
import io.github.vertxrdma.functions.LeaseOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Asks managers for workers until there are enough, or the time is up. On the invoker's event loop. */
final class LeaseSearch {
  private static final long AGAIN_MILLIS = 50;

  private final InvokerImpl invoker;
  private final Rdma rdma;
  private final LeaseOptions options;
  private final long deadline;
  private final List<LeaseImpl> found = new ArrayList<>();
  private final Promise<List<Lease>> promise = Promise.promise();
  private EndpointDirectory directory;
  private int missing;
  private String refusal = "no manager of that name is in the directory";

  LeaseSearch(InvokerImpl invoker, Rdma rdma, LeaseOptions options) {
    this.invoker = invoker;
    this.rdma = rdma;
    this.options = options;
    this.missing = options.getWorkers();
    this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.getWaitMillis());
  }

  Future<List<Lease>> find() {
    rdma.directory().onFailure(promise::fail).onSuccess(opened -> {
      directory = opened;
      round(new HashSet<>());
    });
    return promise.future();
  }

  /** A manager, and how many workers it has free, as the directory tells. */
  private record Candidate(EndpointEntry endpoint, int free) {
  }

  private List<Candidate> candidates(Set<String> refused) {
    List<Candidate> all = new ArrayList<>();
    for (EndpointEntry endpoint : directory.endpoints()) {
      JsonObject offer = endpoint.metadata();
      if (options.getManager().equals(offer.getString("functions")) && !refused.contains(endpoint.name())
        && (options.getNodeId() == null || options.getNodeId().equals(endpoint.nodeId()))) {
        int free = (int) Math.min(offer.getInteger("freeCores", 0), offer.getLong("freeMemory", 0L) / options.getMemory());
        if (free > 0) {
          all.add(new Candidate(endpoint, free));
        }
      }
    }
    all.sort(Comparator.comparingInt(Candidate::free).reversed());
    return all;
  }

  /** @param refused managers that have refused lately */
  private void round(Set<String> refused) {
    if (invoker.isClosed()) {
      fail(new FunctionException(Reason.CLOSED, "the invoker is closed"));
      return;
    }
    List<Candidate> candidates = candidates(refused);
    if (missing == 0) {
      found.removeIf(lease -> !lease.isActive());
      found.forEach(invoker::leased);
      promise.complete(List.copyOf(found));
      invoker.dispatch();
    } else if (!candidates.isEmpty()) {
      Candidate first = candidates.getFirst();
      int share = Math.min(first.free, (missing + candidates.size() - 1) / candidates.size());
      new LeaseImpl(invoker, options, first.endpoint.name(), first.endpoint.nodeId()).open(rdma, share).onComplete(done -> {
        // One answer for each manager and round: what the directory says of it is old by now.
        refused.add(first.endpoint.name());
        if (done.succeeded()) {
          found.add(done.result());
          missing -= share;
        } else {
          refusal = Wire.words(done.cause());
        }
        round(refused);
      });
    } else if (deadline - System.nanoTime() > 0) {
      invoker.vertx().setTimer(AGAIN_MILLIS, t -> round(new HashSet<>()));
    } else {
      fail(new FunctionException(Reason.NO_CAPACITY, missing + " of " + options.getWorkers() + " workers were not found among managers '"
        + options.getManager() + "'" + (options.getNodeId() == null ? "" : " of node " + options.getNodeId()) + " in "
        + options.getWaitMillis() + " ms: " + refusal));
    }
  }

  private void fail(FunctionException why) {
    found.forEach(Lease::end);
    promise.fail(why);
  }
}
