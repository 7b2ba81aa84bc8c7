package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.base.Bounds;
import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.Lease;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.SignedCode;
import io.github.vertxrdma.functions.WorkerInfo;
import io.github.vertxrdma.functions.WorkerMode;
import io.github.vertxrdma.impl.calls.Instances;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A lease at its client. Confined to the client's event loop, except the methods of {@link Lease}. */
final class LeaseImpl implements Lease, LeaseLink.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseImpl.class);
  private static final long ANSWER_MILLIS = 10_000;
  private static final Attempts.Limits RENEW_PAUSES = Attempts.Limits.endless(1_000, 10_000);
  /** Time to wait for a lease of cold workers. The start of their processes delays the answer. */
  private static final long COLD_MILLIS = 130_000;

  final FunctionClientImpl client;
  final LeaseOptions options;
  final String service;
  /** Bytes of a slot in the region of a worker. */
  final int slotSize;
  private final String nodeId;
  private volatile String nodeName;
  private final Promise<Bill> ended = Promise.promise();
  final CopyOnWriteArrayList<WorkerLink> links = new CopyOnWriteArrayList<>();
  final Map<String, LeaseAnswer.Function> functions = new HashMap<>();
  /** Pool that replaces the lease when it ends; null for none. */
  final WorkerPool pool;
  ColdCaller caller;
  private LeaseLink connection;
  private long id;
  private long requested;
  long secret;
  private long timer = -1;
  private long renewal = -1;
  /** Failed renewals since the last success; null for none. */
  private Attempts failed;
  private volatile long deadline;
  private volatile long startMillis;
  volatile boolean granted;
  private volatile FunctionException endCause;

  LeaseImpl(FunctionClientImpl client, LeaseOptions options, WorkerPool pool, String service, String nodeId) {
    this.client = client;
    this.pool = pool;
    this.options = options;
    this.slotSize = options.getMemory() / options.getSlots() & ~7;
    this.service = service;
    this.nodeId = nodeId;
    this.nodeName = nodeId;
  }

  /**
   * Completes when all workers can be called.
   *
   * @param limitMillis maximum time until the server grants the lease
   */
  Future<LeaseImpl> open(int workers, SignedCode code, long limitMillis) {
    client.closes(ended.future());
    return client.context.succeededFuture()
      .compose(v -> options.getMode() == WorkerMode.COLD ? client.arrivals.expect() : Future.<ColdCaller>succeededFuture())
      .compose(expected -> {
        caller = expected;
        return client.rdma.connect(service);
      }).compose(connected -> {
        nodeName = connected.remoteNodeName();
        connection = new LeaseLink(client.vertx, connected, server(), this);
        requested = System.nanoTime();
        return endCause == null ? ask(workers, code) : Future.failedFuture(endCause);
      }).onComplete(late -> {
        if (endCause != null) {
          disconnect();
        }
      }).timeout(limitMillis, TimeUnit.MILLISECONDS).compose(answer -> granted(workers, answer)).onSuccess(v -> forgetCaller())
      .recover(cause -> {
        end(cause instanceof FunctionException failed ? failed : cause instanceof TimeoutException
          ? new FunctionException(Reason.TIMEOUT, "server " + server() + " did not answer in " + limitMillis + " ms")
          : new FunctionException(Reason.NO_CAPACITY, "cannot lease workers from server " + service + ": " + Wire.words(cause), cause),
          false);
        return Future.failedFuture(endCause);
      });
  }

  private void forgetCaller() {
    if (caller != null) {
      client.arrivals.forget(caller);
    }
  }

  private Future<JsonObject> ask(int workers, SignedCode code) {
    JsonObject request = new JsonObject().put("op", "lease").put("versions", Wire.VERSIONS.text()).put("workers", workers)
      .put("memory", options.getMemory())
      .put("slots", options.getSlots()).put("messageSize", options.getMessageSize()).put("millis", options.getDuration().toMillis())
      .put("mode", options.getMode().name());
    if (client.options.getClient() != null) {
      request.put("client", client.options.getClient());
    }
    if (caller != null) {
      request.put("caller", caller.toJson());
    }
    if (code == null) {
      return connection.ask(request, null, answerMillis());
    }
    Buffer jar = code.jar();
    request.put("code", new JsonObject().put("bytes", jar.length()).put("secret", code.bySecret())
      .put("signature", code.signature().getBytes()));
    return connection.ask(request, jar, answerMillis()).recover(cause -> Future.failedFuture(
      cause.getCause() instanceof RdmaException unsent && unsent.reason() == RdmaException.Reason.TOO_LARGE
        ? new FunctionException(Reason.CODE_REFUSED, "code of " + jar.length() + " bytes cannot be sent to server " + service + ": "
          + Wire.words(unsent), unsent)
        : cause));
  }

  long answerMillis() {
    return options.getMode() == WorkerMode.COLD ? COLD_MILLIS : ANSWER_MILLIS;
  }

  private Future<LeaseImpl> granted(int workers, JsonObject answer) {
    LeaseAnswer lease = LeaseAnswer.of(answer);
    if (lease.workers().size() > workers) {
      return Future.failedFuture(new FunctionException(Reason.PROTOCOL, "server " + server() + " granted " + lease.workers().size()
        + " workers instead of " + workers + "; its lease is not used"));
    }
    id = lease.id();
    secret = lease.secret();
    granted = true;
    startMillis = lease.startMillis();
    expireIn(lease.millis(), requested + TimeUnit.MILLISECONDS.toNanos(startMillis));
    functions.putAll(lease.functions());
    // Adds all links before the first opens, so that the end of the lease closes all.
    lease.workers().forEach(worker -> links.add(new WorkerLink(this, worker)));
    return Future.join(links.stream().map(link -> link.open()).toList())
      .compose(v -> endCause == null ? Future.succeededFuture(this) : Future.failedFuture(endCause));
  }

  /** @param from time of the request, so that the lease ends here before it ends at the server */
  private long expireIn(long millis, long from) {
    deadline = from + TimeUnit.MILLISECONDS.toNanos(millis);
    client.vertx.cancelTimer(timer);
    timer = client.vertx.setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())), t -> {
      // Also ends the lease at the server, whose answer to a renewal may be in flight.
      end(new FunctionException(Reason.LEASE_ENDED, this + " has ended: its duration expired; renew it earlier, or request a new lease"));
    });
    if (options.isAutoRenew() || options.isKeep()) {
      failed = null;
      renewIn(millis / 2);
    }
    return millis;
  }

  private void renewIn(long millis) {
    client.vertx.cancelTimer(renewal);
    renewal = client.vertx.setTimer(Math.max(1, millis),
      t -> renewNow(options.getDuration().toMillis(), Math.clamp(remainingMillis() / 2, 1, ANSWER_MILLIS)).onFailure(cause -> {
        if (endCause == null) {
          if (failed == null) {
            failed = new Attempts(RENEW_PAUSES);
            LOG.warn(this + " could not be renewed. This node retries until the lease ends in " + remainingMillis() + " ms: "
              + Wire.words(cause));
          }
          renewIn(Math.min(remainingMillis() / 2, failed.pauseMillis()));
        }
      }));
  }

  @Override
  public void ended(Reason reason, String words, Bill bill) {
    FunctionException why = new FunctionException(reason, this + " has ended: " + words);
    if (bill == null) {
      ended.tryFail(why);
    } else {
      ended.tryComplete(bill);
    }
    end(why, false);
  }

  @Override
  public void lost(Throwable cause) {
    ended(Reason.WORKER_LOST, "its server was lost: " + (cause == null ? "it closed the connection" : Instances.words(cause, "it")), null);
  }

  private void end(FunctionException why, boolean awaitBill) {
    if (endCause == null) {
      endCause = why;
      client.vertx.cancelTimer(timer);
      client.vertx.cancelTimer(renewal);
      client.ended(this, why);
      if (connection != null) {
        connection.fail(why);
      }
      links.forEach(link -> link.lost(why));
      if (awaitBill && connection != null) {
        timer = client.vertx.setTimer(ANSWER_MILLIS, t -> disconnect());
        return;
      }
    }
    if (!awaitBill) {
      client.vertx.cancelTimer(timer);
      disconnect();
    }
  }

  private void disconnect() {
    ended.tryFail(endCause);
    forgetCaller();
    if (connection != null) {
      client.closes(connection.close());
      connection = null;
    }
  }

  void end(FunctionException why) {
    if (endCause == null) {
      connection.send(request("end"));
      end(why, true);
    }
  }

  /** Ends the lease without a request: the server notices the end of the connection. */
  void abandon(FunctionException why) {
    end(why, false);
  }

  /** Returns the number of slots that arguments and result of a call need. */
  int slotsFor(CallImpl call) {
    long in = Wire.CALL_HEADER + (long) call.arguments.length();
    long out = Wire.RESULT_HEADER + (long) Math.max(call.maxResult, Wire.MIN_RESULT_BYTES);
    return (int) ((Math.max(in, out) + slotSize - 1) / slotSize);
  }

  /** Returns whether workers can run a call when enough slots are free. */
  boolean canRun(CallImpl call) {
    return !links.isEmpty() && functions.containsKey(call.function) && slotsFor(call) <= options.getSlots();
  }

  void lost(WorkerLink link, FunctionException why) {
    links.remove(link);
    if (endCause == null && granted && links.isEmpty()) {
      client.execute(() -> end(why));
    }
  }

  boolean isSuspected() {
    return client.rdma.isSuspected(nodeId);
  }

  String server() {
    return service + " of node " + nodeName;
  }

  Buffer ticket() {
    return Wire.hello(id, secret);
  }

  @Override
  public String id() {
    return GrantedLease.name(id);
  }

  @Override
  public String nodeId() {
    return nodeId;
  }

  @Override
  public String nodeName() {
    return nodeName;
  }

  @Override
  public List<WorkerInfo> workers() {
    return links.stream().map(WorkerLink::info).toList();
  }

  @Override
  public Duration remaining() {
    return Duration.ofMillis(remainingMillis());
  }

  private long remainingMillis() {
    return endCause != null ? 0 : Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
  }

  @Override
  public Duration startupTime() {
    return Duration.ofMillis(startMillis);
  }

  @Override
  public boolean isActive() {
    return endCause == null;
  }

  private JsonObject request(String op) {
    return new JsonObject().put("op", op).put("lease", id());
  }

  private Future<JsonObject> ask(JsonObject request, long millis) {
    return endCause == null ? connection.ask(request, null, millis) : Future.failedFuture(endCause);
  }

  private Future<Long> renewNow(long millis, long timeoutMillis) {
    long sent = System.nanoTime();
    return ask(request("renew").put("millis", millis), timeoutMillis)
      .map(answer -> endCause == null ? expireIn(LeaseAnswer.millis(answer), sent) : 0L);
  }

  @Override
  public Future<Duration> renew(Duration duration) {
    long millis = Bounds.atLeast("duration", duration, 1).toMillis();
    return client.submit(() -> renewNow(millis, ANSWER_MILLIS)).map(Duration::ofMillis);
  }

  @Override
  public Future<Bill> bill() {
    return client.submit(() -> ask(request("bill"), ANSWER_MILLIS).map(LeaseAnswer::bill));
  }

  @Override
  public Future<Bill> end() {
    return client.submit(() -> {
      if (pool != null) {
        pool.endedByClient(this);
      }
      end(new FunctionException(Reason.LEASE_ENDED, this + " has ended: the client ended it"));
      return ended.future();
    });
  }

  @Override
  public Future<Bill> ended() {
    return client.submit(ended::future);
  }

  @Override
  public String toString() {
    return "lease " + (granted ? id() + ' ' : "") + "of server " + service + " on node " + nodeName;
  }
}
