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
import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * A worker in its own process ({@link ColdWorkerProcess}), which uses the core of a worker of this process. They exchange lines of JSON
 * over the process's standard streams. The process ends with these, so it does not outlive this process, even if that is killed. Confined
 * to the server's context.
 */
final class ColdWorker implements LeasedWorker {
  private static final long START_MILLIS = 120_000;
  private static final long STOP_MILLIS = 3_000;
  /** Maximum number of characters of a line of its output. */
  private static final int MAX_LINE = 1 << 20;
  /** Time for its last output after its end; a process that it started may keep its output open forever. */
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

  /** @param directory of the server's node @param caller to connect to */
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
   * @return fails with {@link Reason#CODE_REFUSED} if the process reports an error of its functions
   */
  Future<JsonArray> assign(GrantedLease lease, Buffer code) {
    context = Vertx.currentContext();
    vertx = context.owner();
    Optional<RegionEntry> account = directory.region(accounts);
    if (account.isEmpty()) {
      // The server was disconnected from its cluster, and is about to publish the region again.
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

  /** Returns the options of the process as a node: it knows its server and its caller, and no node knows it, so any directory will do. */
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

  /** Removes the secret from the environment of a process that reads it from a file. */
  static void hideSecret(Map<String, String> environment, RdmaOptions node, List<String> command) {
    if (node.getSecretFile() != null || !environment.getOrDefault(SECRET_FILE, "").isEmpty()
      || command.stream()
        .anyMatch(argument -> argument.startsWith(SECRET_FILE_ARGUMENT) && argument.length() > SECRET_FILE_ARGUMENT.length())) {
      environment.remove(SECRET);
    }
  }

  private void started(Process started, JsonObject setup, Buffer code) {
    process = started;
    // Separate threads, because they block, and must not be delayed by anything that hangs.
    Thread reader = Thread.ofPlatform().daemon().name("vertx-rdma-function " + name).start(this::read);
    started.onExit().thenRunAsync(() -> {
      try {
        reader.join(LAST_WORDS_MILLIS);
      } catch (InterruptedException e) {
        // Continues without its last output.
      }
      context.runOnContext(v -> exited());
    }, task -> Thread.ofPlatform().daemon().name("vertx-rdma-function-exit " + name).start(task));
    if (stopping || ready.future().isComplete()) {
      kill();
      return;
    }
    // A process that does not read blocks this until it is killed. Its exit reports why it has ended.
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

  /**
   * Kills the process and the processes that it started. On a separate thread: the search for them takes a while, and the threads of the
   * pool may all wait for ends.
   */
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
      // If this cannot be written, the process is ending, or has ended.
      write(to, new JsonObject().put("op", what).put("why", why).encode());
      return null;
    }, false);
  }

  private void read() {
    try (Reader output = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line; (line = line(output, MAX_LINE)) != null;) {
        JsonObject said = new JsonObject(line);
        context.runOnContext(v -> heard(said));
      }
    } catch (IOException | RuntimeException e) {
      // Its exit reports its end; a process that sends invalid messages is useless.
      kill();
    }
  }

  /** Reads a line. @return null at the end @throws IOException if the line has more than {@code most} characters */
  static String line(Reader from, int most) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next; (next = from.read()) != '\n';) {
      if (next < 0) {
        return line.isEmpty() ? null : line.toString();
      }
      if (line.length() == most) {
        throw new IOException("a line of more than " + most + " characters");
      }
      line.append((char) next);
    }
    return line.toString();
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
    // A process that is still starting has used nothing.
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
      // It is not started yet, and is killed as soon as it is.
      released.tryComplete();
      return released.future();
    }
    tell("release", why);
    long patience = vertx.setTimer(STOP_MILLIS, t -> kill());
    return released.future().onComplete(done -> {
      vertx.cancelTimer(patience);
      Process ending = process;
      // The end of its input ends it, whatever a function does.
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
