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
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/**
 * Main class of a cold worker's process. The server writes the setup, and code if any, to standard input. To end the process, it writes
 * the reason in one line and closes that stream. Messages to the server are lines on standard output, which start with a token from the
 * setup.
 */
public final class ColdWorkerProcess {
  private static final long CLOSE_MILLIS = 2_000;
  /** Maximum time to close the connection to the client. Longer than a session waits for a client that does not answer. */
  private static final long RELEASE_MILLIS = WorkerSession.CLOSE_MILLIS + 500;
  private static final long USE_MILLIS = 200;

  private final OutputStream server = new FileOutputStream(FileDescriptor.out);
  private final String token;
  private final LongAdder refusals = new LongAdder();
  private volatile Vertx vertx;
  private volatile Worker worker;
  private volatile GrantedLease lease;

  private ColdWorkerProcess(String token) {
    this.token = token;
  }

  public static void main(String[] arguments) {
    BufferedReader server = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    // Functions must neither read from the server nor close the stream to it.
    System.setIn(InputStream.nullInputStream());
    System.setOut(System.err);
    try {
      JsonObject setup = new JsonObject(server.readLine());
      new ColdWorkerProcess(setup.getString("token")).run(setup, server);
    } catch (IOException | RuntimeException e) {
      System.err.println("Only a function server can start this class. It writes the setup to standard input: " + e);
      Runtime.getRuntime().halt(2);
    }
  }

  private void run(JsonObject setup, BufferedReader server) {
    try {
      String code = setup.getBoolean("code") ? server.readLine() : null;
      say("connected", true);
      // Starts on another thread, since a provider may block. This thread must notice the end of the stream.
      Thread.ofPlatform().daemon().name("vertx-rdma-start").start(() -> startOrEnd(setup, code));
      String why = server.readLine();
      while (server.read() >= 0) {
      }
      // Without a reason, the server has died.
      if (why != null && worker != null) {
        try {
          worker.release(lease, why).await(RELEASE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          // The client does not answer.
        }
        reportUse();
        say("released", true);
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

  private synchronized void say(JsonObject message) {
    try {
      // Begins with a line break, because an output without one may precede it.
      server.write(('\n' + token + message.encode() + '\n').getBytes(StandardCharsets.UTF_8));
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

  /** Reports the use since the last report. Synchronized, so that use which the other thread has taken is written first. */
  private synchronized void reportUse() {
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
    Worker made = new Worker(rdma, setup.getString("name"), functions, refusals, 0).connectTo(setup.getString("caller"),
      Buffer.buffer(setup.getBinary("ticket")));
    made.assign(lease, null);
    vertx.deployVerticle(made).onSuccess(v -> {
      worker = made;
      say("ready", functions.toJson());
    }).onFailure(cause -> say("unable", Wire.words(ThreadLimit.named(cause))));
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
