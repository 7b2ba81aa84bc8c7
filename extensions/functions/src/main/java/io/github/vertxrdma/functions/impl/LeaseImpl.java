package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.Lease;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.SignedCode;
import io.github.vertxrdma.functions.WorkerInfo;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A lease and the connection to its manager. On the invoker's event loop but for what {@link Lease} offers. */
final class LeaseImpl implements Lease {
  private static final long ANSWER_MILLIS = 10_000;
  /** Processes have to start. */
  private static final long COLD_MILLIS = 130_000;

  private final InvokerImpl invoker;
  private final LeaseOptions options;
  private final String manager;
  private final String nodeId;
  private final Promise<Bill> ended = Promise.promise();
  private final CopyOnWriteArrayList<WorkerLink> links = new CopyOnWriteArrayList<>();
  private final List<Future<Void>> closing = new ArrayList<>();
  private final Map<Long, Promise<JsonObject>> asked = new HashMap<>();
  private final Map<String, Function> functions = new HashMap<>();
  /** Where cold workers come to; null for others. */
  private ColdCaller caller;
  private RdmaConnection connection;
  private long number;
  private long id;
  private long secret;
  private long timer = -1;
  private long renewal = -1;
  private volatile long deadline;
  private volatile long startMillis;
  private volatile boolean granted;
  private volatile FunctionException over;

  /** A function that its workers have. */
  record Function(int id, boolean idempotent) {
  }

  LeaseImpl(InvokerImpl invoker, LeaseOptions options, String manager, String nodeId) {
    this.invoker = invoker;
    this.options = options;
    this.manager = manager;
    this.nodeId = nodeId;
  }

  // ---- getting it

  /** Asks the manager for so many workers. @param code for them to run; null for none @return completes when all of them can be called */
  Future<LeaseImpl> open(Rdma rdma, int workers, SignedCode code) {
    Future<ColdCaller> expecting = options.getMode() == WorkerMode.COLD ? invoker.arrivals().expect() : Future.succeededFuture();
    return expecting.compose(expected -> {
      caller = expected;
      return rdma.connect(manager);
    }).compose(connected -> {
      connection = connected;
      Throwable[] broken = {null};
      connected.exceptionHandler(cause -> broken[0] = cause);
      connected.closeHandler(v -> managerLost(broken[0]));
      connected.handler(this::message);
      long sent = System.nanoTime();
      JsonObject request = new JsonObject().put("op", "lease").put("workers", workers).put("memory", options.getMemory())
        .put("slots", options.getSlots()).put("messageSize", options.getMessageSize()).put("millis", options.getMillis())
        .put("mode", options.getMode().name());
      if (invoker.options().getClient() != null) {
        request.put("client", invoker.options().getClient());
      }
      if (caller != null) {
        request.put("caller", caller.toJson());
      }
      if (code == null) {
        return ask(request, options.getMode() == WorkerMode.COLD ? COLD_MILLIS : ANSWER_MILLIS)
          .compose(answer -> granted(rdma, answer, sent));
      }
      Buffer jar = code.jar();
      request.put("code", new JsonObject().put("bytes", jar.length()).put("secret", code.bySecret())
        .put("signature", code.signature().getBytes()));
      Future<JsonObject> answered = ask(request, COLD_MILLIS);
      connection.write(jar).onFailure(cause -> end(new FunctionException(Reason.CODE_REFUSED, "code of " + jar.length()
        + " bytes cannot be sent to manager " + manager + ": " + Wire.words(cause), cause), false));
      return answered.compose(answer -> granted(rdma, answer, sent));
    }).recover(cause -> {
      end(cause instanceof FunctionException failed ? failed : new FunctionException(Reason.NO_CAPACITY,
        "manager " + manager + " cannot be asked: " + Wire.words(cause), cause), false);
      return released().<LeaseImpl>transform(v -> Future.failedFuture(over));
    }).onComplete(done -> {
      if (caller != null) {
        invoker.arrivals().forget(caller);
      }
    });
  }

  private Future<LeaseImpl> granted(Rdma rdma, JsonObject answer, long sent) {
    id = Long.parseUnsignedLong(answer.getString("lease"), 16);
    secret = Long.parseUnsignedLong(answer.getString("secret"), 16);
    granted = true;
    startMillis = answer.getLong("startMillis", 0L);
    expireIn(answer.getLong("millis"), sent + TimeUnit.MILLISECONDS.toNanos(startMillis));
    JsonArray table = answer.getJsonArray("functions");
    for (int i = 0; i < table.size(); i++) {
      JsonObject function = table.getJsonObject(i);
      functions.put(function.getString("name"), new Function(function.getInteger("id"), function.getBoolean("idempotent")));
    }
    List<Future<WorkerLink>> opening = new ArrayList<>();
    answer.getJsonArray("workers").forEach(worker -> {
      Future<WorkerLink> link = WorkerLink.open(this, rdma, worker.toString());
      opening.add(link.onSuccess(links::add));
    });
    return Future.join(opening).compose(v -> over == null ? Future.succeededFuture(this) : Future.failedFuture(over));
  }

  /** @param from when the manager cannot have granted it yet: this side believes it over before the manager does */
  private long expireIn(long millis, long from) {
    Vertx vertx = vertx();
    deadline = from + TimeUnit.MILLISECONDS.toNanos(millis);
    vertx.cancelTimer(timer);
    timer = vertx.setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())), t ->
      end(new FunctionException(Reason.LEASE_ENDED, this + " has ended: its time was up; renew it earlier, or ask for a new one"), true));
    if (options.isAutoRenew()) {
      vertx.cancelTimer(renewal);
      renewal = vertx.setTimer(Math.max(1, millis / 2), t -> renewNow(options.getMillis()));
    }
    return millis;
  }

  // ---- talking to the manager

  private Future<JsonObject> ask(JsonObject request) {
    return ask(request, ANSWER_MILLIS);
  }

  private Future<JsonObject> ask(JsonObject request, long millis) {
    if (over != null) {
      return Future.failedFuture(over);
    }
    Promise<JsonObject> answer = Promise.promise();
    long asking = ++number;
    asked.put(asking, answer);
    connection.write(request.put("request", asking).toBuffer());
    long limit = vertx().setTimer(millis, t -> answer.tryFail(new FunctionException(Reason.TIMEOUT, "manager " + manager
      + " of node " + nodeId + " did not answer in " + millis + " ms")));
    return answer.future().onComplete(done -> {
      asked.remove(asking);
      vertx().cancelTimer(limit);
    });
  }

  private void message(Buffer message) {
    JsonObject json = message.toJsonObject();
    if (json.containsKey("ended")) {
      JsonObject bill = json.getJsonObject("bill");
      FunctionException why = new FunctionException(Reason.valueOf(json.getString("reason")), this + " has ended: "
        + json.getString("words"));
      if (bill == null) {
        ended.tryFail(why);
      } else {
        ended.tryComplete(Bill.fromJson(bill));
      }
      end(why, false);
      return;
    }
    Promise<JsonObject> answer = asked.get(json.getLong("request"));
    if (answer != null && json.containsKey("refused")) {
      answer.tryFail(new FunctionException(Reason.valueOf(json.getString("refused")), json.getString("words")));
    } else if (answer != null) {
      answer.tryComplete(json);
    }
  }

  private void managerLost(Throwable cause) {
    FunctionException why = new FunctionException(Reason.WORKER_LOST, this + " has ended: its manager was lost: "
      + (cause == null ? "it closed the connection" : Wire.words(cause)), cause);
    ended.tryFail(why);
    end(why, false);
  }

  // ---- its end

  /** No more calls on it. @param hear whether to wait for the manager's bill before its connection is closed */
  private void end(FunctionException why, boolean hear) {
    if (over == null) {
      over = why;
      vertx().cancelTimer(timer);
      vertx().cancelTimer(renewal);
      List.copyOf(asked.values()).forEach(answer -> answer.tryFail(why));
      invoker.ended(this, why);
      links.forEach(link -> link.lost(why));
      if (hear && connection != null) {
        timer = vertx().setTimer(ANSWER_MILLIS, t -> disconnect());
        return;
      }
    }
    if (!hear) {
      vertx().cancelTimer(timer);
      disconnect();
    }
  }

  private void disconnect() {
    ended.tryFail(over);
    if (connection != null) {
      RdmaConnection last = connection;
      connection = null;
      closes(last.close().otherwiseEmpty());
    }
  }

  /** A worker is gone; without any the lease is of no use. */
  void lost(WorkerLink link, FunctionException why) {
    links.remove(link);
    if (over == null && granted && links.isEmpty()) {
      invoker.execute(() -> {
        if (over == null) {
          connection.write(new JsonObject().put("op", "end").put("lease", id()).toBuffer());
          end(why, true);
        }
      });
    }
  }

  /** Something of it is being closed. */
  void closes(Future<Void> until) {
    closing.removeIf(Future::isComplete);
    closing.add(until);
  }

  /** Completes when nothing of it is left here. */
  Future<Void> released() {
    return Future.join(List.copyOf(closing)).otherwiseEmpty().mapEmpty();
  }

  // ---- for the invoker

  InvokerImpl invoker() {
    return invoker;
  }

  Vertx vertx() {
    return invoker.vertx();
  }

  LeaseOptions options() {
    return options;
  }

  long secret() {
    return secret;
  }

  ColdCaller caller() {
    return caller;
  }

  Buffer ticket() {
    return Wire.hello(id, secret);
  }

  Function function(String name) {
    return functions.get(name);
  }

  Iterable<String> functionNames() {
    return functions.keySet();
  }

  List<WorkerLink> links() {
    return links;
  }

  // ---- any thread

  @Override
  public String id() {
    return GrantedLease.name(id);
  }

  @Override
  public String nodeId() {
    return nodeId;
  }

  @Override
  public List<WorkerInfo> workers() {
    return links.stream().map(WorkerLink::info).toList();
  }

  @Override
  public long remainingMillis() {
    return over != null ? 0 : Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
  }

  @Override
  public long startMillis() {
    return startMillis;
  }

  @Override
  public boolean isActive() {
    return over == null;
  }

  private Future<Long> renewNow(long millis) {
    long sent = System.nanoTime();
    return ask(new JsonObject().put("op", "renew").put("lease", id()).put("millis", millis))
      .map(answer -> over == null ? expireIn(answer.getLong("millis"), sent) : 0L);
  }

  @Override
  public Future<Long> renew(long millis) {
    if (millis < 1) {
      throw new IllegalArgumentException("millis " + millis + ": at least 1");
    }
    return invoker.submit(() -> renewNow(millis));
  }

  @Override
  public Future<Bill> bill() {
    return invoker.submit(() -> ask(new JsonObject().put("op", "bill").put("lease", id()))
      .map(answer -> Bill.fromJson(answer.getJsonObject("bill"))));
  }

  @Override
  public Future<Bill> end() {
    return invoker.submit(() -> {
      if (over == null) {
        connection.write(new JsonObject().put("op", "end").put("lease", id()).toBuffer());
        end(new FunctionException(Reason.LEASE_ENDED, this + " has ended: this side ended it"), true);
      }
      return ended.future();
    });
  }

  @Override
  public Future<Bill> ended() {
    return invoker.submit(ended::future);
  }

  @Override
  public String toString() {
    return "lease " + (granted ? id() + ' ' : "") + "of manager " + manager + " on node " + nodeId;
  }
}
