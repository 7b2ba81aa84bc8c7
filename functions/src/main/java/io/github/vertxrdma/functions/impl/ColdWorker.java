package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.functions.ManagerOptions;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.concurrent.atomic.LongAdder;

/**
 * A worker in a process of its own ({@link ColdWorkerProcess}), which takes the core of one of this process. They talk by lines of JSON
 * over the process's standard streams; their end is its end, so it does not outlive this process, however that dies. On the manager's
 * context.
 */
final class ColdWorker implements LeasedWorker {
  private static final long START_MILLIS = 120_000;
  private static final long STOP_MILLIS = 3_000;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Worker core;
  private final ManagerOptions options;
  private final String name;
  private final String accounts;
  private final LongAdder refusals;
  private final Promise<JsonArray> ready = Promise.promise();
  private final Promise<Void> released = Promise.promise();
  private final Promise<Void> exited = Promise.promise();
  private final ArrayDeque<Promise<Void>> accounted = new ArrayDeque<>();
  private Vertx vertx;
  private Context context;
  private Process process;
  private boolean stopping;

  ColdWorker(Worker core, ManagerOptions options, String accounts, LongAdder refusals) {
    this.core = core;
    this.options = options;
    this.accounts = accounts;
    this.refusals = refusals;
    this.name = core.name() + "/process-" + Long.toHexString(RANDOM.nextLong());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Worker core() {
    return core;
  }

  @Override
  public Future<JsonArray> assign(GrantedLease lease) {
    return assign(lease, null);
  }

  /** @param code a jar to run; null for none */
  Future<JsonArray> assign(GrantedLease lease, Buffer code) {
    context = Vertx.currentContext();
    vertx = context.owner();
    JsonObject setup = new JsonObject().put("name", name).put("accounts", accounts).put("rdma", options.getColdWorkers().toJson())
      .put("hotIdleMillis", options.getHotIdleMillis()).put("lease", lease.toJson())
      .put("code", code != null);
    long limit = vertx.setTimer(START_MILLIS, t -> fail("it was not ready in " + START_MILLIS + " ms"));
    vertx.executeBlocking(() -> {
      Process started = new ProcessBuilder(ColdWorkerProcess.command(options.getColdJvmOptions()))
        .redirectError(ProcessBuilder.Redirect.INHERIT).start();
      write(started, setup.encode());
      if (code != null) {
        write(started, Base64.getEncoder().encodeToString(code.getBytes()));
      }
      return started;
    }, false).onComplete(started -> {
      if (started.failed()) {
        exited.complete();
        fail("java could not be started: " + Wire.words(started.cause()));
        return;
      }
      process = started.result();
      process.onExit().thenRun(() -> context.runOnContext(v -> exited()));
      Thread.ofVirtual().name("vertx-rdma-function " + name).start(this::read);
      if (stopping) {
        process.destroyForcibly();
      }
    });
    return ready.future().onComplete(done -> vertx.cancelTimer(limit));
  }

  private void fail(String why) {
    if (ready.tryFail(why) && process != null) {
      process.destroyForcibly();
    }
  }

  private static void write(Process to, String line) throws IOException {
    OutputStream out = to.getOutputStream();
    out.write((line + '\n').getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private void tell(String what, String why) {
    Process to = process;
    vertx.executeBlocking(() -> {
      // If it cannot be told, it ends, or has.
      write(to, new JsonObject().put("op", what).put("why", why).encode());
      return null;
    });
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line; (line = lines.readLine()) != null;) {
        JsonObject said = new JsonObject(line);
        context.runOnContext(v -> heard(said));
      }
    } catch (IOException | RuntimeException e) {
      // Its end is told by its exit; one that says what makes no sense is of no use.
      process.destroyForcibly();
    }
  }

  private void heard(JsonObject said) {
    if (said.containsKey("ready")) {
      ready.tryComplete(said.getJsonArray("ready"));
    } else if (said.containsKey("failed")) {
      fail(said.getString("failed"));
    } else if (said.containsKey("accounted")) {
      accounted.poll().complete();
    } else if (said.containsKey("released") && released.tryComplete()) {
      refusals.add(said.getLong("released"));
    }
  }

  private void exited() {
    exited.tryComplete();
    released.tryComplete();
    ready.tryFail("it ended with status " + process.exitValue());
    while (!accounted.isEmpty()) {
      accounted.poll().complete();
    }
  }

  @Override
  public Future<Void> account(GrantedLease of) {
    if (exited.future().isComplete() || process == null) {
      return Future.succeededFuture();
    }
    Promise<Void> promise = Promise.promise();
    accounted.add(promise);
    tell("account", "");
    return promise.future();
  }

  @Override
  public Future<Void> release(GrantedLease over, String why) {
    if (stopping) {
      return released.future();
    }
    stopping = true;
    ready.tryFail("its lease has ended: " + why);
    if (process == null) {
      // It is not started yet, and killed as soon as it is.
      released.tryComplete();
      return released.future();
    }
    tell("release", why);
    long patience = vertx.setTimer(STOP_MILLIS, t -> process.destroyForcibly());
    return released.future().onComplete(done -> {
      vertx.cancelTimer(patience);
      Process ending = process;
      // The end of its input is its end; whatever a function does, it is gone soon.
      vertx.executeBlocking(() -> {
        ending.getOutputStream().close();
        return null;
      });
      long last = vertx.setTimer(STOP_MILLIS, t -> ending.destroyForcibly());
      exited.future().onComplete(v -> vertx.cancelTimer(last));
    });
  }

  @Override
  public Future<Void> idle() {
    return exited.future();
  }
}
