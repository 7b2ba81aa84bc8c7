package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.FunctionServerOptions;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * A worker in a process of its own ({@link ColdWorkerProcess}), which takes the core of one of this process. They talk by lines of JSON
 * over the process's standard streams; their end is its end, so it does not outlive this process, however that dies. On the server's
 * context.
 */
final class ColdWorker implements LeasedWorker {
  private static final long START_MILLIS = 120_000;
  private static final long STOP_MILLIS = 3_000;
  /** For its last words after its end; what it has started might hold its output open for ever. */
  private static final long LAST_WORDS_MILLIS = 1_000;
  private static final String SECRET = "VERTX_RDMA_SECRET";
  private static final String SECRET_FILE = "VERTX_RDMA_SECRET_FILE";
  private static final String SECRET_FILE_ARGUMENT = "-Dvertx.rdma.secret.file=";
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Worker core;
  private final FunctionServerOptions options;
  private final String name;
  private final String accounts;
  private final LongAdder refusals;
  private final RdmaDirectory directory;
  private final ColdCaller caller;
  private final Promise<JsonArray> ready = Promise.promise();
  private final Promise<Void> released = Promise.promise();
  private final Promise<Void> exited = Promise.promise();
  private final ArrayDeque<Promise<Void>> accounted = new ArrayDeque<>();
  private Vertx vertx;
  private Context context;
  private Process process;
  private boolean stopping;

  /** @param directory of the server's node @param caller where it goes to */
  ColdWorker(Worker core, FunctionServerOptions options, String accounts, LongAdder refusals, RdmaDirectory directory, ColdCaller caller) {
    this.core = core;
    this.directory = directory;
    this.caller = caller;
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

  /**
   * @param code a jar to run; null for none
   * @return fails with {@link Reason#CODE_REFUSED} if the process says what is wrong with its functions
   */
  Future<JsonArray> assign(GrantedLease lease, Buffer code) {
    context = Vertx.currentContext();
    vertx = context.owner();
    Optional<RegionEntry> account = directory.region(accounts);
    if (account.isEmpty()) {
      // The server was cut off from its cluster, and is about to tell of the region anew.
      exited.complete();
      fail("region '" + accounts + "' is not in the directory");
      return ready.future();
    }
    JsonObject setup = new JsonObject().put("name", name).put("accounts", accounts).put("rdma", node(account.get()).toJson())
      .put("hotIdleMillis", options.getHotIdleTimeout().toMillis()).put("lease", lease.toJson()).put("code", code != null)
      .put("caller", caller.service().name()).put("ticket", ColdCaller.ticket(caller.token(), name).getBytes());
    long limit = vertx.setTimer(START_MILLIS, t -> fail("it was not ready in " + START_MILLIS + " ms"));
    vertx.executeBlocking(this::start, false).onComplete(started -> {
      if (started.failed()) {
        exited.complete();
        fail("java could not be started: " + Wire.words(started.cause()));
      } else {
        started(started.result(), setup, code);
      }
    });
    return ready.future().onComplete(done -> vertx.cancelTimer(limit));
  }

  /** The process as a node: it knows of its server and its caller, and nobody of it, so any directory of theirs will do. */
  private RdmaOptions node(RegionEntry account) {
    NodeEntry self = directory.self();
    RdmaOptions node = new RdmaOptions(options.getColdWorkerRdma());
    if (node.getHost() == null) {
      node.setHost(self.controlHost());
    }
    return node.setDirectory(caller.addTo(new DirectoryOptions().setType(DirectoryOptions.STATIC)
      .setNodeId(self.nodeId() + "-process-" + Long.toHexString(RANDOM.nextLong())).addEntry(self).addEntry(account)));
  }

  private Process start() throws IOException {
    List<String> command = ColdWorkerProcess.command(options.getColdJvmOptions());
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    hideSecret(builder.environment(), options.getColdWorkerRdma(), command);
    return builder.start();
  }

  /** Takes the secret out of the environment of a process that has it from a file. */
  static void hideSecret(Map<String, String> environment, RdmaOptions node, List<String> command) {
    if (node.getSecretFile() != null || !environment.getOrDefault(SECRET_FILE, "").isEmpty()
      || command.stream()
        .anyMatch(argument -> argument.startsWith(SECRET_FILE_ARGUMENT) && argument.length() > SECRET_FILE_ARGUMENT.length())) {
      environment.remove(SECRET);
    }
  }

  private void started(Process started, JsonObject setup, Buffer code) {
    process = started;
    // Threads of their own: they block, and nothing that is stuck may hold them up.
    Thread reader = Thread.ofPlatform().daemon().name("vertx-rdma-function " + name).start(this::read);
    started.onExit().thenRunAsync(() -> {
      try {
        reader.join(LAST_WORDS_MILLIS);
      } catch (InterruptedException e) {
        // Without its last words, then.
      }
      context.runOnContext(v -> exited());
    }, task -> Thread.ofPlatform().daemon().name("vertx-rdma-function-exit " + name).start(task));
    if (stopping || ready.future().isComplete()) {
      kill();
      return;
    }
    // One that does not read blocks this until it is killed; why one has ended is said by its exit.
    vertx.executeBlocking(() -> {
      write(started, code == null ? setup.encode() : setup.encode() + '\n' + Base64.getEncoder().encodeToString(code.getBytes()));
      return null;
    }, false);
  }

  private void fail(String why) {
    fail(new FunctionException(Reason.NO_CAPACITY, why));
  }

  private void fail(FunctionException why) {
    if (ready.tryFail(why) && process != null) {
      kill();
    }
  }

  /** With what it has started. On a thread of its own: looking for that takes a while, and the pool's threads may all wait for ends. */
  private void kill() {
    Process ending = process;
    Thread.ofPlatform().daemon().name("vertx-rdma-function-kill " + name).start(() -> {
      try {
        ending.descendants().forEach(ProcessHandle::destroyForcibly);
      } finally {
        ending.destroyForcibly();
      }
    });
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
    }, false);
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line; (line = lines.readLine()) != null;) {
        JsonObject said = new JsonObject(line);
        context.runOnContext(v -> heard(said));
      }
    } catch (IOException | RuntimeException e) {
      // Its end is told by its exit; one that says what makes no sense is of no use.
      kill();
    }
  }

  private void heard(JsonObject said) {
    if (said.containsKey("ready")) {
      ready.tryComplete(said.getJsonArray("ready"));
    } else if (said.containsKey("failed")) {
      fail(new FunctionException(Reason.CODE_REFUSED, said.getString("failed")));
    } else if (said.containsKey("unable")) {
      fail(said.getString("unable"));
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
    // One that is still starting has used nothing.
    if (!ready.future().succeeded() || exited.future().isComplete()) {
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
    long patience = vertx.setTimer(STOP_MILLIS, t -> kill());
    return released.future().onComplete(done -> {
      vertx.cancelTimer(patience);
      Process ending = process;
      // The end of its input is its end; whatever a function does, it is gone soon.
      vertx.executeBlocking(() -> {
        ending.getOutputStream().close();
        return null;
      }, false);
      long last = vertx.setTimer(STOP_MILLIS, t -> kill());
      exited.future().onComplete(v -> vertx.cancelTimer(last));
    });
  }

  @Override
  public Future<Void> idle() {
    return exited.future();
  }
}
