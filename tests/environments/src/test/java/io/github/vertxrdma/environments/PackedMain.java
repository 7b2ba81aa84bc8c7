package io.github.vertxrdma.environments;

import io.github.vertxrdma.FabricInfo;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaAuthorizer;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionProvider;
import io.github.vertxrdma.functions.FunctionRegistry;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.github.vertxrdma.functions.WorkerMode;
import io.github.vertxrdma.provider.contract.RefusedCalls;
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
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.logging.Logger;

/**
 * The packed application. Works on a thread of the common pool, whose context class loader is the system's. The argument is {@code
 * options}, {@code names}, {@code cold}, {@code wrong}, {@code loops}, {@code meet}, {@code loaders}, {@code threads} or {@code clock}.
 * Each outcome is a line.
 */
public final class PackedMain {
  private static final int SECONDS = 100;
  private static final int LOOPS = 192;
  private static final long IDLE_MILLIS = 3_000;
  /** Time to find a server. A worker process whose start has begun may take longer. */
  private static final Duration SEARCH = Duration.ofSeconds(30);
  /** Fields, because a garbage-collected logger loses its filter. */
  private static final Logger OPTIONS = Logger.getLogger("io.github.vertxrdma.impl.transport.TransportOptions");
  private static final Logger OUTPUT_OF_WORKERS = Logger.getLogger("io.github.vertxrdma.functions.impl.ColdOutput");

  private PackedMain() {
  }

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

  public static void main(String[] arguments) throws Throwable {
    // Called first, because the filter does not bind threads that already run.
    String refused = System.getProperty("example.refused");
    if (refused != null && !RefusedCalls.refuse(refused, Integer.getInteger("example.errno"))) {
      System.out.println(RefusedCalls.UNABLE);
      return;
    }
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
        System.out.println("failed: " + e + (e.getCause() == null ? "" : " " + e.getCause()));
      }
    }).join();
    Runtime.getRuntime().halt(0);
  }

  private static void run(String what) throws Exception {
    Vertx vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(!"false".equals(System.getProperty("example.native")))
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
      case "meet" -> {
        await(listen(Rdma.create(vertx), "open"));
        meet(vertx);
      }
      case "loaders" -> {
        // Each method has a class loader, like two applications of one servlet container.
        for (String method : List.of("serve", "meet")) {
          List<URL> classes = new ArrayList<>();
          for (String part : System.getProperty("java.class.path").split(File.pathSeparator)) {
            classes.add(Path.of(part).toUri().toURL());
          }
          ClassLoader loader = new URLClassLoader(classes.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
          Thread.currentThread().setContextClassLoader(loader);
          loader.loadClass(PackedMain.class.getName()).getMethod(method).invoke(null);
        }
      }
      case "wrong" -> {
        AtomicInteger refusals = new AtomicInteger();
        OUTPUT_OF_WORKERS.setFilter(line -> {
          refusals.addAndGet(line.getMessage().contains("Unrecognized VM option") ? 1 : 0);
          return true;
        });
        Rdma rdma = Rdma.create(vertx);
        System.out.println("authorizer: " + outcome(Future.future(listens -> listen(Rdma.create(Vertx.vertx(), new RdmaOptions()
          .setFabric("nio").setAuthorizerClass("app.None")), "open").onComplete(listens))));
        await(FunctionServer.create(rdma, new FunctionServerOptions().setCores(1)
          .setColdWorkerRdma(new RdmaOptions().setFabric("nio")).setColdJvmOptions(List.of("-XX:+NoSuchOption"))).listen());
        System.out.println("worker: " + outcome(FunctionClient.create(rdma).lease(new LeaseOptions()
          .setMode(WorkerMode.COLD).setWaitTimeout(Duration.ofSeconds(5)))));
        System.out.println("logged: " + refusals);
      }
      case "threads" -> takeThreads(vertx);
      case "clock" -> stepClock(vertx);
      default -> call(Rdma.create(vertx), Rdma.create(Vertx.vertx()), WorkerMode.COLD);
    }
  }

  public static void serve() throws Exception {
    await(listen(Rdma.create(Vertx.vertx()), "open"));
  }

  public static void meet() throws Exception {
    meet(Vertx.vertx());
  }

  private static void meet(Vertx vertx) throws Exception {
    Rdma client = Rdma.create(Vertx.vertx());
    System.out.println("epoll: " + vertx.isNativeTransportEnabled());
    for (FabricInfo fabric : await(client.fabrics())) {
      System.out.println((fabric.isUsable() ? "usable: " : "missing: ") + fabric.device() + ' ' + fabric.missing());
    }
    System.out.println("fabric: " + await(client.connect("open")).fabric().device());
  }

  /** Uses a node after all threads were taken that the system permits. */
  private static void takeThreads(Vertx vertx) throws Exception {
    Rdma server = Rdma.create(vertx);
    await(listen(server, "open"));
    await(server.createRegion(new RegionOptions().setName("table").setSize(1 << 12)));
    await(FunctionServer.create(server, new FunctionServerOptions().setCores(2).setColdWorkerRdma(new RdmaOptions().setFabric("nio")))
      .listen());
    Rdma client = Rdma.create(Vertx.vertx());
    await(client.connect("open"));
    FunctionClient functions = FunctionClient.create(client);
    // Until idle threads have ended, which would serve the calls.
    Thread.sleep(IDLE_MILLIS);
    List<Thread> taken = new ArrayList<>();
    try {
      while (true) {
        taken.add(Thread.ofPlatform().daemon().start(() -> LockSupport.park(PackedMain.class)));
      }
    } catch (OutOfMemoryError e) {
      System.out.println("taken: " + taken.size());
    }
    System.out.println("health: " + outcome(client.health()));
    System.out.println("fabrics: " + outcome(client.fabrics()));
    System.out.println("share: " + outcome(server.createRegion(new RegionOptions().setName("late").setSize(1 << 12))));
    System.out.println("open: " + outcome(onNewLoop(client.vertx(), () -> client.openRegion("table"))));
    for (Thread thread : taken.subList(0, Integer.getInteger("example.free"))) {
      LockSupport.unpark(thread);
      thread.join();
    }
    long start = System.nanoTime();
    System.out.println("lease: " + outcome(functions.lease(new LeaseOptions().setMode(WorkerMode.COLD)
      .setWaitTimeout(Duration.ofSeconds(6)))));
    System.out.println("seconds: " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
    // Later calls work when threads are free again.
    taken.forEach(LockSupport::unpark);
    System.out.println("later: " + outcome(client.fabrics()));
  }

  /** The thread of the loop has not started. */
  private static <T> Future<T> onNewLoop(Vertx vertx, Supplier<Future<T>> call) {
    ContextInternal context = ((VertxInternal) vertx).createEventLoopContext();
    ContextInternal before = context.beginDispatch();
    try {
      return call.get();
    } finally {
      context.endDispatch(before);
    }
  }

  /** Sets the clock of this process by the seconds in a file, and then runs operations with time limits. */
  private static void stepClock(Vertx vertx) throws Exception {
    Path file = Path.of(System.getenv("STEPPED_CLOCK"));
    Rdma server = Rdma.create(vertx);
    await(listen(server, "open"));
    await(FunctionServer.create(server, new FunctionServerOptions().setCores(2)).listen());
    FunctionClient functions = FunctionClient.create(Rdma.create(Vertx.vertx()));
    await(functions.lease(new LeaseOptions().setMode(WorkerMode.WARM).setDuration(Duration.ofSeconds(1)).setAutoRenew(true)
      .setWaitTimeout(Duration.ofSeconds(SECONDS))));
    long start = System.currentTimeMillis();
    for (long hours : new long[] {1, -2, 24 * 366, -24 * 366, 0}) {
      Files.write(file, ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(TimeUnit.HOURS.toSeconds(hours)).array(),
        StandardOpenOption.WRITE);
      System.out
        .println("hours: " + Math.floorDiv(System.currentTimeMillis() - start + TimeUnit.MINUTES.toMillis(30), TimeUnit.HOURS.toMillis(1)));
      Rdma late = Rdma.create(Vertx.vertx());
      System.out.println("connect: " + outcome(late.connect("open")));
      System.out.println("call: " + outcome(functions.invoke("pid", Buffer.buffer())));
      System.out.println("health: " + await(server.health()).problems());
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
      /** A field, because a garbage-collected client closes. */
      private HttpClient client;

      @Override
      public Future<?> start() {
        client = vertx.createHttpClient();
        return client.request(HttpMethod.GET, port, "127.0.0.1", "/").compose(HttpClientRequest::send)
          .compose(HttpClientResponse::body);
      }
    };
  }

  /** proc_pid_status(5) */
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
    await(functions.lease(new LeaseOptions().setMode(mode).setWaitTimeout(SEARCH)));
    long pid = await(functions.invoke("pid", Buffer.buffer())).getLong(0);
    System.out.println("function: in " + (pid == ProcessHandle.current().pid() ? "this process" : "another process"));
    await(functions.close());
  }

  private static String outcome(Future<?> future) throws Exception {
    try {
      await(future);
      return "works";
    } catch (ExecutionException e) {
      return e.getCause().getMessage().replace('\n', ' ');
    }
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
  }
}
