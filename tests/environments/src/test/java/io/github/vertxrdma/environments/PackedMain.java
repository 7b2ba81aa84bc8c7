package io.github.vertxrdma.environments;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionProvider;
import io.github.vertxrdma.functions.FunctionRegistry;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.logging.Logger;

/**
 * The application that is packed. It does everything on a thread of the common pool, whose context class loader is the system's. The
 * argument is {@code options}, {@code names}, {@code cold} or {@code loops}. Each outcome is a line.
 */
public final class PackedMain {
  private static final int SECONDS = 100;
  private static final int LOOPS = 192;
  /** Held, since a logger that is garbage collected loses its filter. */
  private static final Logger OPTIONS = Logger.getLogger("io.github.vertxrdma.impl.transport.TransportOptions");

  private PackedMain() {
  }

  /** Refuses one service. */
  public static final class Careful implements RdmaAuthorizer {
    @Override
    public boolean mayConnect(String nodeId, String service) {
      return !service.equals("secret");
    }
  }

  /** Functions that servers and worker processes find. */
  public static final class Functions implements FunctionProvider {
    @Override
    public void register(FunctionRegistry registry) {
      registry.register("pid", RemoteFunction.of(arguments -> Buffer.buffer().appendLong(ProcessHandle.current().pid())));
    }
  }

  public static void main(String[] arguments) {
    OPTIONS.setFilter(line -> {
      System.out.println("log: " + line.getMessage());
      return false;
    });
    CompletableFuture.runAsync(() -> {
      System.out.println("loader: " + (Thread.currentThread().getContextClassLoader() == PackedMain.class.getClassLoader()
        ? "the application's" : "another"));
      try {
        run(arguments[0]);
      } catch (Exception e) {
        System.out.println("failed: " + e);
      }
    }).join();
    Runtime.getRuntime().halt(0);
  }

  private static void run(String what) throws Exception {
    Vertx vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true)
      .setEventLoopPoolSize(what.equals("loops") ? LOOPS : VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE));
    switch (what) {
      case "options" -> {
        System.out.println("own: " + outcome(listen(Rdma.create(vertx), "main")));
        System.out.println("given: " + outcome(listen(Rdma.create(vertx, new RdmaOptions()), "main")));
      }
      case "names" -> {
        Rdma server = Rdma.create(vertx);
        Rdma client = Rdma.create(Vertx.vertx());
        await(listen(server, "open"));
        await(listen(server, "secret"));
        System.out.println("open: " + outcome(client.connect("open")));
        System.out.println("secret: " + outcome(client.connect("secret")));
        call(server, client, WorkerMode.WARM);
      }
      case "loops" -> {
        int port = freePort();
        deploy(vertx, () -> listen(port));
        deploy(vertx, () -> request(port));
        System.out.println("resident: " + residentKilobytes());
      }
      default -> call(Rdma.create(vertx), Rdma.create(Vertx.vertx()), WorkerMode.COLD);
    }
  }

  private static Future<RdmaServer> listen(Rdma rdma, String name) {
    return rdma.createServer().connectHandler(connection -> {}).listen(name);
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  /** Deploys one instance on each event loop. */
  private static void deploy(Vertx vertx, Supplier<VerticleBase> verticle) throws Exception {
    await(vertx.deployVerticle(verticle, new DeploymentOptions().setInstances(LOOPS)));
  }

  private static VerticleBase listen(int port) {
    return new VerticleBase() {
      @Override
      public Future<?> start() {
        return vertx.createHttpServer().requestHandler(request -> request.response().end("answer")).listen(port, "127.0.0.1");
      }
    };
  }

  private static VerticleBase request(int port) {
    return new VerticleBase() {
      /** Held, since a client that is garbage collected closes. */
      private HttpClient client;

      @Override
      public Future<?> start() {
        client = vertx.createHttpClient();
        return client.request(HttpMethod.GET, port, "127.0.0.1", "/").compose(HttpClientRequest::send)
          .compose(HttpClientResponse::body);
      }
    };
  }

  /** Returns the size of this process's memory: proc_pid_status(5). */
  private static long residentKilobytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("VmRSS:"))
      .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).sum();
  }

  private static void call(Rdma server, Rdma client, WorkerMode mode) throws Exception {
    RdmaOptions worker = mode == WorkerMode.COLD ? new RdmaOptions().setFabric("nio") : null;
    FunctionServerOptions options = new FunctionServerOptions().setCores(1).setColdWorkerRdma(worker);
    String jars = System.getProperty("example.cold");
    if (jars != null) {
      options.setColdClassPath(List.of(jars));
    }
    await(FunctionServer.create(server, options).listen());
    FunctionClient functions = FunctionClient.create(client);
    await(functions.lease(new LeaseOptions().setMode(mode).setWaitTimeout(Duration.ofSeconds(SECONDS))));
    long pid = await(functions.invoke("pid", Buffer.buffer())).getLong(0);
    System.out.println("function: in " + (pid == ProcessHandle.current().pid() ? "this process" : "another process"));
    await(functions.close());
  }

  private static String outcome(Future<?> future) throws Exception {
    try {
      await(future);
      return "works";
    } catch (ExecutionException e) {
      return e.getCause().getMessage();
    }
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
  }
}
