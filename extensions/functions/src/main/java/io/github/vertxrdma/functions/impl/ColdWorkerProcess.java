package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.functions.FunctionProvider;
import io.github.vertxrdma.impl.process.ThreadLimit;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Main class of a cold worker's process. Reads the setup, then commands, from the server's socket. Ends when that is closed. */
public final class ColdWorkerProcess {
  private static final long CLOSE_MILLIS = 2_000;
  private static final long USE_MILLIS = 200;

  private final ColdPipe server;
  private final LongAdder refusals = new LongAdder();
  private volatile Vertx vertx;
  private volatile Worker worker;
  private volatile GrantedLease lease;

  private ColdWorkerProcess(ColdPipe server) {
    this.server = server;
  }

  public static void main(String[] arguments) {
    ColdPipe server;
    try {
      String tokens = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
      System.setIn(InputStream.nullInputStream());
      if (arguments.length != 1 || tokens == null) {
        System.err.println("Only a function server can start this class: the server passes its socket and a token");
        Runtime.getRuntime().halt(2);
      }
      server = ColdPipe.connect(arguments[0], tokens);
    } catch (IOException | RuntimeException e) {
      System.err.println("This worker process cannot connect to its server: " + e);
      Runtime.getRuntime().halt(2);
      return;
    }
    new ColdWorkerProcess(server).run();
  }

  private void run() {
    try {
      String setup = server.readLine(Integer.MAX_VALUE);
      if (setup != null) {
        JsonObject json = new JsonObject(setup);
        String code = json.getBoolean("code") ? server.readLine(Integer.MAX_VALUE) : null;
        // Starts on another thread, since a provider may block. This thread must notice the end of the socket.
        Thread.ofPlatform().daemon().name("vertx-rdma-start").start(() -> startOrEnd(json, code));
        for (String line; (line = server.readLine(Integer.MAX_VALUE)) != null;) {
          command(new JsonObject(line));
        }
      }
    } catch (Throwable e) {
      sayFailure(e);
    } finally {
      end();
    }
  }

  /** Reports "unable" if a thread could not be started, otherwise "failed". */
  private void sayFailure(Throwable cause) {
    Throwable named = ThreadLimit.named(cause);
    say(named == cause ? "failed" : "unable", Wire.words(named));
  }

  private void say(String what, Object value) {
    say(new JsonObject().put(what, value));
  }

  private void say(JsonObject message) {
    try {
      server.write(message.encode());
    } catch (IOException e) {
      // The server has ended, so this process ends too.
    }
  }

  private void startOrEnd(JsonObject setup, String code) {
    try {
      start(setup, code);
      while (true) {
        Thread.sleep(USE_MILLIS);
        reportUse();
      }
    } catch (Throwable e) {
      try {
        sayFailure(e);
      } finally {
        end();
      }
    }
  }

  /** Reports the use since the last report. */
  private void reportUse() {
    JsonObject use = new JsonObject().put("refusals", refusals.sumThenReset()).put("hotNanos", lease.hotNanos.sumThenReset())
      .put("executionNanos", lease.executionNanos.sumThenReset()).put("invocations", lease.invocations.sumThenReset());
    if (use.stream().anyMatch(each -> (Long) each.getValue() > 0)) {
      say(use);
    }
  }

  /** @param code a jar in Base64; null for none */
  private void start(JsonObject setup, String code) throws IOException {
    ClassLoader loader = FunctionProvider.class.getClassLoader();
    if (code != null) {
      loader = new CodeLoader(Base64.getDecoder().decode(code), loader);
      // Vert.x passes this loader to threads that run functions.
      Thread.currentThread().setContextClassLoader(loader);
    }
    vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Rdma rdma = Rdma.create(vertx, new RdmaOptions(setup.getJsonObject("rdma")));
    FunctionTable functions = new FunctionTable();
    try {
      ServiceLoader.load(FunctionProvider.class, loader).forEach(provider -> provider.register(functions));
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException("its functions cannot be registered: " + Wire.words(e), e);
    }
    lease = GrantedLease.of(setup.getJsonObject("lease"));
    Worker made = new Worker(rdma, setup.getString("name"), functions, refusals,
      setup.getLong("hotIdleMillis")).connectTo(setup.getString("caller"), Buffer.buffer(setup.getBinary("ticket")));
    made.assign(lease, null);
    vertx.deployVerticle(made).onSuccess(v -> {
      worker = made;
      say("ready", functions.toJson());
    }).onFailure(cause -> say("unable", Wire.words(ThreadLimit.named(cause))));
  }

  private void command(JsonObject command) {
    Worker ready = worker;
    Future<Void> nothing = Future.succeededFuture();
    switch (command.getString("op")) {
      case "release" -> (ready == null ? nothing : ready.release(lease, command.getString("why")))
        .onComplete(done -> {
          reportUse();
          say("released", true);
        });
      default -> throw new IllegalArgumentException("a worker process does not know the command '" + command.getString("op") + "'");
    }
  }

  /** Closes shared memory and kills child processes, which would outlive this process. Does not wait for running functions. */
  private void end() {
    try {
      ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
      Vertx opened = vertx;
      Future<Void> closed = opened == null ? Future.succeededFuture() : opened.close();
      closed.await(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (Throwable e) {
      // This process ends anyway.
    } finally {
      Runtime.getRuntime().halt(0);
    }
  }
}
