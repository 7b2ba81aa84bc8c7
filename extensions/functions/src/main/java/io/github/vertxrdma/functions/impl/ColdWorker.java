package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.base.LongWait;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.process.ThreadLimit;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * A cold worker at its server: a process that runs calls on a core of the server. The process gets its setup by standard input, and sends
 * lines of JSON by standard output ({@link ColdOutput}). It ends when standard input is closed. A line before that end is its reason.
 */
final class ColdWorker implements LeasedWorker {
  private static final long START_MILLIS = 120_000;
  /** Threads that a process needs: four of this class, and one of the JDK that waits for its exit. */
  private static final int THREADS = 5;
  private static final long STOP_MILLIS = 3_000;
  /** Maximum time to read the last output of an ended process, whose children may keep it open. */
  private static final long LAST_OUTPUT_MILLIS = 1_000;
  /** A higher exit status is this number plus that of the signal that ended the process. */
  private static final int SIGNALLED = 128;
  private static final Logger LOG = LoggerFactory.getLogger(ColdWorker.class);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Worker core;
  private final FunctionServerOptions options;
  private final String name;
  private final LongAdder refusals;
  private final RdmaDirectory directory;
  private final ColdCaller caller;
  private final Promise<JsonArray> ready = Promise.promise();
  private final Promise<Void> released = Promise.promise();
  private final Promise<Void> exited = Promise.promise();
  private GrantedLease lease;
  private Vertx vertx;
  private Context context;
  private final String token = Long.toHexString(RANDOM.nextLong()) + Long.toHexString(RANDOM.nextLong());
  private final ColdOutput output;
  private Process process;
  /** True after the process has read its setup. */
  private boolean connected;
  private boolean stopping;
  /** Cause if the process did not start for another reason than the client's code; otherwise null. */
  String startFailure;

  ColdWorker(Worker core, FunctionServerOptions options, LongAdder refusals, RdmaDirectory directory, ColdCaller caller) {
    this.core = core;
    this.directory = directory;
    this.caller = caller;
    this.options = options;
    this.refusals = refusals;
    this.name = core.name() + "/process-" + Long.toHexString(RANDOM.nextLong());
    this.output = new ColdOutput(name, token, line -> context.runOnContext(v -> received(line)), System::nanoTime);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Worker core() {
    return core;
  }

  /**
   * Starts the process. Fails with {@link Reason#CODE_REFUSED} if the process reports an error of its functions.
   */
  @Override
  public Future<JsonArray> assign(GrantedLease granted, Buffer code) {
    context = Vertx.currentContext();
    vertx = context.owner();
    lease = granted;
    JsonObject setup = new JsonObject().put("token", token).put("name", name).put("rdma", node().toJson())
      .put("lease", lease.toJson()).put("code", code != null)
      .put("caller", caller.service().name()).put("ticket", ColdCaller.ticket(caller.token(), name).getBytes());
    long limit = vertx.setTimer(START_MILLIS, t -> failStart("it was not ready in " + START_MILLIS + " ms" + output.last()));
    BlockingCalls.once((ContextInternal) context, this::start).onComplete(started -> {
      if (started.failed()) {
        exited.complete();
        String words = Wire.words(started.cause());
        failStart("java could not be started: " + words + ThreadLimit.remedy(words));
      } else {
        started(started.result(), setup, code);
      }
    });
    LongWait wait = new LongWait((millis, task) -> {
      long timer = vertx.setTimer(millis, t -> task.run());
      return () -> vertx.cancelTimer(timer);
    }, LOG::info, "The start of worker process " + name, () -> connected ? "its functions to be ready" : "it to connect");
    return ready.future().onComplete(done -> {
      wait.end();
      vertx.cancelTimer(limit);
    });
  }

  private RdmaOptions node() {
    NodeEntry self = directory.self();
    RdmaOptions node = new RdmaOptions(options.getColdWorkerRdma());
    if (node.getHost() == null) {
      node.setHost(self.controlHost());
    }
    return node.setDirectory(new DirectoryOptions().setType(DirectoryOptions.STATIC)
      .setNodeId(self.nodeId() + "-process-" + Long.toHexString(RANDOM.nextLong())).addEntry(self).addEntry(caller.node())
      .addEntry(caller.service()));
  }

  private Process start() throws IOException {
    ThreadLimit.check("too few threads", "a worker process", THREADS);
    try {
      return ColdCommand.process(options, name).start();
    } catch (OutOfMemoryError e) {
      // The process runs, but the JDK has no thread to wait for its exit.
      ProcessHandle.current().children().filter(child -> child.info().arguments().map(List::of).orElse(List.of()).contains(name))
        .forEach(ProcessHandle::destroyForcibly);
      throw e;
    }
  }

  private void started(Process started, JsonObject setup, Buffer code) {
    process = started;
    List<Thread> threads = new ArrayList<>();
    try {
      threads.add(thread("messages", () -> output.read(started.getInputStream())));
      threads.add(thread("output", () -> output.read(started.getErrorStream())));
      threads.add(thread("setup", () -> write(setup, code)));
    } catch (OutOfMemoryError e) {
      failStart("the process was killed because its output cannot be read: " + Wire.words(ThreadLimit.named(e)));
    }
    started.onExit().whenCompleteAsync((v, cause) -> {
      try {
        // The future also completes if the JDK has no thread to wait for the process.
        started.waitFor();
        for (Thread each : threads) {
          each.join(LAST_OUTPUT_MILLIS);
        }
      } catch (InterruptedException e) {
        // Continues without the last output.
      }
      context.runOnContext(done -> exited(code != null));
    }, task -> threadOrHere("exit", task));
    if (stopping || ready.future().isComplete()) {
      kill();
    }
  }

  private void write(JsonObject setup, Buffer code) {
    String lines = setup.encode() + '\n' + (code == null ? "" : Base64.getEncoder().encodeToString(code.getBytes()) + '\n');
    try {
      process.getOutputStream().write(lines.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      // Its exit is reported.
    }
  }

  private Thread thread(String task, Runnable run) {
    return Thread.ofPlatform().daemon().name("vertx-rdma-function-" + task + ' ' + name).start(run);
  }

  private void threadOrHere(String task, Runnable run) {
    try {
      thread(task, run);
    } catch (OutOfMemoryError e) {
      run.run();
    }
  }

  private void fail(String why) {
    fail(new FunctionException(Reason.NO_CAPACITY, why));
  }

  private void failStart(String why) {
    if (!ready.future().isComplete()) {
      startFailure = why;
    }
    fail(why);
  }

  private void fail(FunctionException why) {
    if (ready.tryFail(why) && process != null) {
      kill();
    }
  }

  /** Uses a new thread: all threads of the pool may be waiting for processes. */
  private void kill() {
    Process ending = process;
    threadOrHere("kill", () -> {
      try {
        ending.descendants().forEach(ProcessHandle::destroyForcibly);
      } finally {
        ending.destroyForcibly();
      }
    });
  }

  private void received(String line) {
    try {
      JsonObject message = new JsonObject(line);
      if (message.containsKey("connected")) {
        connected = true;
      } else if (message.containsKey("ready")) {
        ready.tryComplete(message.getJsonArray("ready"));
      } else if (message.containsKey("failed")) {
        fail(new FunctionException(Reason.CODE_REFUSED, Wire.cut(message.getString("failed"))));
      } else if (message.containsKey("unable")) {
        fail(Wire.cut(message.getString("unable")));
      } else if (message.containsKey("refusals")) {
        refusals.add(message.getLong("refusals"));
        lease.hotNanos.add(message.getLong("hotNanos"));
        lease.executionNanos.add(message.getLong("executionNanos"));
        lease.invocations.add(message.getLong("invocations"));
      } else if (message.containsKey("released")) {
        released.tryComplete();
      }
    } catch (RuntimeException e) {
      fail("it sent an invalid message: " + Wire.words(e));
      kill();
    }
  }

  private void exited(boolean ofCode) {
    int status = process.exitValue();
    String why = "it ended with status " + status + (status > SIGNALLED ? ", by signal " + (status - SIGNALLED) : "") + output.last();
    if (!stopping && ready.future().succeeded()) {
      LOG.warn("Worker process " + name + " ended before its lease: " + why);
    }
    // The client's code may have ended the process, unless the process never connected.
    if (!connected || !ofCode) {
      failStart(why);
    } else {
      ready.tryFail(why);
    }
    exited.tryComplete();
    released.tryComplete();
  }

  @Override
  public Future<Void> release(GrantedLease ended, String why) {
    if (stopping) {
      return released.future();
    }
    stopping = true;
    ready.tryFail("its lease has ended: " + why);
    if (!connected) {
      // started() kills a process that is still starting.
      released.tryComplete();
      if (process != null) {
        kill();
      }
      return released.future();
    }
    try (OutputStream in = process.getOutputStream()) {
      in.write((why.replace('\n', ' ') + '\n').getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // The process has ended.
    }
    long releaseLimit = vertx.setTimer(STOP_MILLIS, t -> kill());
    return released.future().onComplete(done -> {
      vertx.cancelTimer(releaseLimit);
      long exitLimit = vertx.setTimer(STOP_MILLIS, t -> kill());
      exited.future().onComplete(v -> vertx.cancelTimer(exitLimit));
    });
  }

  @Override
  public Future<Void> idle() {
    return exited.future();
  }
}
