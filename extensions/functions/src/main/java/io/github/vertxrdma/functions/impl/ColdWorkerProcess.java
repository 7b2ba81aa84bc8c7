package io.github.vertxrdma.functions.impl;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.functions.FunctionProvider;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Main class of a cold worker's process. The first line of its input contains the setup, the others commands. The end of its input ends it,
 * so it ends with its server. Output of functions goes to standard error.
 */
public final class ColdWorkerProcess {
  private static final long CLOSE_MILLIS = 2_000;

  private final PrintStream out;
  private final LongAdder refusals = new LongAdder();
  private volatile Vertx vertx;
  /** Null before it is ready. */
  private volatile Worker worker;
  private volatile GrantedLease lease;

  private ColdWorkerProcess(PrintStream out) {
    this.out = out;
  }

  /** Returns a command with this JVM's java and class path, and its options about modules, Netty and vertx-rdma. */
  static List<String> command(List<String> more) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-XX:+UseSerialGC");
    for (String given : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      boolean modules = given.startsWith("--add-") || given.startsWith("--sun-misc-unsafe-memory-access");
      if (modules || given.startsWith("-Dio.netty.") || given.startsWith("-Dvertx.rdma.") || given.startsWith("-Djava.io.tmpdir=")) {
        command.add(given);
      }
    }
    command.addAll(more);
    command.add("-cp");
    // The whole class path and module path; modules work on the class path as well.
    command.add(Stream.of("java.class.path", "jdk.module.path").map(System::getProperty).filter(path -> path != null && !path.isEmpty())
      .collect(Collectors.joining(File.pathSeparator)));
    command.add(ColdWorkerProcess.class.getName());
    return command;
  }

  /** Started only by a server. */
  public static void main(String[] arguments) {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    System.setIn(InputStream.nullInputStream());
    ColdWorkerProcess process = new ColdWorkerProcess(out);
    try {
      String setup = in.readLine();
      if (setup != null) {
        JsonObject json = new JsonObject(setup);
        String code = json.getBoolean("code") ? in.readLine() : null;
        // Calls of providers may never return; the end of the input is still noticed.
        Thread.ofPlatform().daemon().name("vertx-rdma-start").start(() -> process.startOrEnd(json, code));
        for (String line; (line = in.readLine()) != null;) {
          process.command(new JsonObject(line));
        }
      }
    } catch (Throwable e) {
      process.say("failed", Wire.words(e));
    } finally {
      process.end();
    }
  }

  private synchronized void say(String what, Object value) {
    out.println(new JsonObject().put(what, value).encode());
  }

  private void startOrEnd(JsonObject setup, String code) {
    try {
      start(setup, code);
    } catch (Throwable e) {
      try {
        say("failed", Wire.words(e));
      } finally {
        end();
      }
    }
  }

  /** @param code a jar in Base64; null for none */
  private void start(JsonObject setup, String code) throws IOException {
    ClassLoader loader = FunctionProvider.class.getClassLoader();
    if (code != null) {
      loader = new CodeLoader(Base64.getDecoder().decode(code), loader);
      // Vert.x passes it to the threads that run functions.
      Thread.currentThread().setContextClassLoader(loader);
    }
    vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    Rdma rdma = Rdma.create(vertx, new RdmaOptions(setup.getJsonObject("rdma")));
    FunctionTable functions = new FunctionTable();
    try {
      ServiceLoader.load(FunctionProvider.class, loader).forEach(provider -> provider.register(functions));
    } catch (Throwable e) {
      throw new IOException("its functions cannot be registered: " + Wire.words(e), e);
    }
    lease = GrantedLease.of(setup.getJsonObject("lease"));
    Worker made = new Worker(rdma, setup.getString("name"), functions, setup.getString("accounts"), refusals,
      setup.getLong("hotIdleMillis")).goingTo(setup.getString("caller"), Buffer.buffer(setup.getBinary("ticket")));
    made.assign(lease);
    vertx.deployVerticle(made).onSuccess(v -> {
      worker = made;
      say("ready", functions.toJson());
    }).onFailure(cause -> say("unable", Wire.words(cause)));
  }

  private void command(JsonObject command) {
    Worker ready = worker;
    Future<Void> nothing = Future.succeededFuture();
    switch (command.getString("op")) {
      case "account" -> (ready == null ? nothing : ready.account(lease)).onComplete(done -> say("accounted", true));
      case "release" -> (ready == null ? nothing : ready.release(lease, command.getString("why")))
        .onComplete(done -> say("released", refusals.sum()));
      default -> throw new IllegalArgumentException("'" + command.getString("op") + "' means nothing to a worker process");
    }
  }

  /**
   * Ends the process in order: shared memory that is not closed, or a process that was started, would outlive it. Running functions are not
   * awaited.
   */
  private void end() {
    try {
      ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
      Vertx opened = vertx;
      Future<Void> closed = opened == null ? Future.succeededFuture() : opened.close();
      closed.await(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (Throwable e) {
      // Not reported: the parent has ended, or waits only for the end.
    } finally {
      Runtime.getRuntime().halt(0);
    }
  }
}
