package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.Lease;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.SignedCode;
import io.github.vertxrdma.functions.WorkerMode;
import io.github.vertxrdma.impl.calls.Instances;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Leases workers from servers until there are enough, or until the timeout. */
final class LeaseSearch {
  private static final Attempts.Limits PAUSES = Attempts.Limits.endless(25, 500);
  /** Time in which a live server without free workers answers. */
  private static final long REFUSAL_MILLIS = 2_000;

  private final FunctionClientImpl client;
  private final LeaseOptions options;
  private final SignedCode code;
  private final WorkerPool pool;
  private final long deadline;
  /** Leases, and the number of workers requested from each. */
  private final Map<LeaseImpl, Integer> found = new LinkedHashMap<>();
  private final Instances order;
  private final Attempts rounds = new Attempts(PAUSES);
  private final Promise<List<Lease>> promise = Promise.promise();
  private LeaseImpl opening;
  private RdmaDirectory directory;
  private int missing;
  private String refusal;

  LeaseSearch(FunctionClientImpl client, LeaseOptions options, SignedCode code, WorkerPool pool) {
    this.code = code;
    this.pool = pool;
    this.client = client;
    this.options = options;
    this.missing = options.getWorkers();
    this.order = new Instances(client.rdma::isSuspected, () -> 0);
    this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.getWaitTimeout().toMillis());
  }

  Future<List<Lease>> find() {
    client.rdma.directory().onFailure(promise::tryFail).onSuccess(opened -> {
      directory = opened;
      guarded(this::round);
    });
    return promise.future();
  }

  /** Runs a step. An exception fails the search: otherwise the caller would wait forever. */
  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      if (promise.future().isComplete()) {
        throw e;
      }
      fail(new FunctionException(Reason.NO_CAPACITY, "the search for " + options.getWorkers() + " workers among servers '"
        + options.getService() + "' failed: " + e + ". This is a defect of vertx-rdma: report it with the stack trace", e));
    }
  }

  /** Returns servers with free workers, in the order of requests. */
  private List<ServiceEntry> candidates(Set<String> asked) {
    Map<ServiceEntry, Integer> free = new HashMap<>();
    directory.services().forEach(service -> {
      int workers = asked.contains(service.name()) ? 0 : free(service);
      if (workers > 0) {
        free.put(service, workers);
      }
    });
    return order.order(free.keySet(), Comparator.comparingInt(this::leasesFound).thenComparing(free::get, Comparator.reverseOrder()));
  }

  private int leasesFound(ServiceEntry server) {
    return (int) found.keySet().stream().filter(lease -> lease.service.equals(server.name())).count();
  }

  /** Returns the number of workers that a server can grant; -1 for other services. */
  private int free(ServiceEntry service) {
    JsonObject offer = service.metadata();
    boolean isServer = false;
    try {
      isServer = options.getService().equals(offer.getString("functions"))
        && (options.getMode() != WorkerMode.COLD || offer.getBoolean("cold", false))
        && (options.getNodeId() == null || options.getNodeId().equals(service.nodeId()));
      long fits = offer.getLong("freeMemory", 0L) / options.getMemory();
      return isServer ? Math.clamp(fits, 0, Math.max(0, offer.getInteger("freeCores", 0))) : -1;
    } catch (RuntimeException e) {
      return isServer ? 0 : -1;
    }
  }

  private void round() {
    if (promise.future().isComplete()) {
      return;
    }
    missing = options.getWorkers();
    long free = candidates(Set.of()).stream().mapToLong(this::free).sum();
    if (free >= missing) {
      next(new HashSet<>());
    } else {
      missing -= (int) free;
      refusal = "the directory has " + directory.services().stream().filter(service -> free(service) >= 0).count() + " servers"
        + (options.getMode() == WorkerMode.COLD ? " that start processes (FunctionServerOptions.setColdWorkerRdma)" : "") + " with "
        + free + " free workers";
      again();
    }
  }

  /** @param asked servers that answered or timed out in this round, whose entries are outdated */
  private void next(Set<String> asked) {
    List<ServiceEntry> candidates = candidates(asked);
    // A lease may have ended during requests to other servers.
    found.keySet().removeIf(lease -> !lease.isActive());
    missing = options.getWorkers() - found.values().stream().mapToInt(Integer::intValue).sum();
    if (missing == 0) {
      found.keySet().forEach(client::leased);
      promise.complete(List.copyOf(found.keySet()));
      client.dispatcher.dispatch();
    } else if (candidates.isEmpty()) {
      endFound();
    } else {
      ServiceEntry first = candidates.getFirst();
      // In a pool, each worker has its own lease.
      int share = pool != null ? 1 : Math.min(free(first), (missing + candidates.size() - 1) / candidates.size());
      opening = new LeaseImpl(client, options, pool, first.name(), first.nodeId());
      long asking = System.nanoTime();
      opening.open(share, code, limitMillis(candidates.size())).onComplete(done -> guarded(() -> {
        opening = null;
        if (pool == null || done.failed()) {
          asked.add(first.name());
        }
        if (promise.future().isComplete()) {
          return;
        }
        if (done.succeeded()) {
          found.put(done.result(), share);
        } else if (done.cause() instanceof FunctionException refused && refused.reason() == Reason.CODE_REFUSED) {
          fail(refused);
          return;
        } else {
          refusal = Wire.words(done.cause());
          if (done.cause() instanceof FunctionException failed && failed.reason() == Reason.TIMEOUT) {
            order.avoid(first, directory.services(first.name()));
          }
          long now = System.nanoTime();
          if (deadline - now <= 0 && now - asking > TimeUnit.MILLISECONDS.toNanos(REFUSAL_MILLIS)) {
            // Other servers might not answer either, and take as long.
            endFound();
            return;
          }
        }
        next(asked);
      }));
    }
  }

  /** Returns the time that a server has for its answer: an equal share of the time left, and more for the last server. */
  private long limitMillis(int candidates) {
    long left = TimeUnit.NANOSECONDS.toMillis(Math.max(0, deadline - System.nanoTime()));
    return candidates == 1 || options.getMode() == WorkerMode.COLD ? left + opening.answerMillis()
      : Math.max(REFUSAL_MILLIS, left / candidates);
  }

  /** Ends the leases that were found. Clients that kept some might wait for each other forever. */
  private void endFound() {
    List<LeaseImpl> partly = List.copyOf(found.keySet());
    found.clear();
    Future.join(partly.stream().map(Lease::end).toList()).onComplete(ended -> again());
  }

  private void again() {
    if (promise.future().isComplete()) {
      return;
    }
    long left = deadline - System.nanoTime();
    if (left > 0) {
      // A random pause, so that two clients do not take workers from each other repeatedly.
      client.vertx.setTimer(Math.min(rounds.pauseMillis(), TimeUnit.NANOSECONDS.toMillis(left) + 1), t -> guarded(this::round));
    } else {
      fail(new FunctionException(Reason.NO_CAPACITY, missing + " of " + options.getWorkers() + " workers were not found among servers '"
        + options.getService() + "'" + (options.getNodeId() == null ? "" : " of node " + options.getNodeId()) + " in "
        + options.getWaitTimeout().toMillis() + " ms: " + refusal));
    }
  }

  void fail(FunctionException why) {
    promise.tryFail(why);
    found.keySet().forEach(Lease::end);
    if (opening != null) {
      opening.abandon(why);
    }
  }
}
