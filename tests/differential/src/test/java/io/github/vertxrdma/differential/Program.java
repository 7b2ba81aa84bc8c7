package io.github.vertxrdma.differential;

import com.hazelcast.config.Config;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.transport.TransportCounters;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetSocket;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A process that reads or writes. Commands are lines of JSON; {@link Output} describes the answers. Arguments: {@code plain}, or {@code
 * clustered} with the first of eight ports for Hazelcast, the name of the cluster, and host and port of the bus.
 */
final class Program {
  /** System property: folder of classes that replace those of the class path. */
  static final String PLANTS = "differential.plants";
  /** System property: {@code true} if the process uses no fabric except for the clustered event bus, and NIO on stock Vert.x. */
  static final String GUEST = "differential.guest";
  private static volatile long closing;

  private final Vertx vertx;
  private final List<Inbound> inbounds = new ArrayList<>();
  private final List<String> deployments = new ArrayList<>();
  private Writer writer;

  private Program(Vertx vertx) {
    this.vertx = vertx;
  }

  public static void main(String[] arguments) {
    Output.logs();
    int status = 78; // the controlling process has ended
    try {
      run(arguments);
    } catch (Exception e) {
      Output.line("log SEVERE program " + e);
      status = 79;
    }
    Runtime.getRuntime().halt(status);
  }

  private static void run(String[] arguments) throws Exception {
    plant(System.getProperty(PLANTS));
    VertxOptions options = new VertxOptions().setPreferNativeTransport(!Boolean.getBoolean(GUEST)).setEventLoopPoolSize(4)
      .setAddressResolverOptions(new AddressResolverOptions().setHostsValue(Buffer.buffer("127.0.0.1 localhost " + Lane.NAME + "\n")));
    Vertx vertx;
    if (arguments[0].equals("plain")) {
      vertx = Vertx.vertx(options);
    } else {
      options.setEventBusOptions(new EventBusOptions().setHost(arguments[3]).setPort(Integer.parseInt(arguments[4])));
      vertx = Vertx.builder().with(options)
        .withClusterManager(new HazelcastClusterManager(config(arguments[2], Integer.parseInt(arguments[1]))))
        .buildClustered().await(60, TimeUnit.SECONDS);
    }
    awaitNode(vertx);
    vertx.eventBus().registerDefaultCodec(Refusal.class, new Refusal.Codec());
    Output.line("=ready {}");
    Program program = new Program(vertx);
    try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        program.execute(new JsonObject(line));
      }
    }
  }

  /** Members that lost each other reconnect in seconds instead of minutes. */
  private static Config config(String cluster, int port) {
    return QuietHazelcast.loopback(cluster, port, 8).setProperty("hazelcast.merge.first.run.delay.seconds", "5")
      .setProperty("hazelcast.merge.next.run.delay.seconds", "5");
  }

  /** Defines classes before others of the same names are loaded. The archive serves the rest. */
  private static void plant(String folder) throws Exception {
    if (folder == null) {
      return;
    }
    Method define = ClassLoader.class.getDeclaredMethod("defineClass", String.class, byte[].class, int.class, int.class);
    define.setAccessible(true);
    Path root = Path.of(folder);
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = root.relativize(file).toString().replace(".class", "").replace('/', '.');
        byte[] bytes = Files.readAllBytes(file);
        define.invoke(Program.class.getClassLoader(), name, bytes, 0, bytes.length);
      }
    }
  }

  /** Waits for the node. Otherwise connections would wait for it, and could go another way than later ones. */
  private static void awaitNode(Vertx vertx) throws Exception {
    if (!"off".equals(System.getProperty("vertx.rdma")) && !Boolean.getBoolean(GUEST)) {
      Rdma rdma = Rdma.create(vertx);
      rdma.directory().await(30, TimeUnit.SECONDS);
      rdma.close().await(30, TimeUnit.SECONDS);
    }
  }

  private void execute(JsonObject command) throws Exception {
    switch (command.getString("do")) {
      case "serve" -> serve(command.getJsonArray("rows"));
      case "report" -> report();
      case "dial" -> inbounds.get(command.getInteger("row")).dial(command.getInteger("port"));
      case "resume" -> inbounds.forEach(inbound -> inbound.sink().resume());
      case "block" -> block(command.getInteger("millis"));
      case "clear" -> clear();
      case "close" -> close();
      case "halt" -> Runtime.getRuntime().halt(0);
      case "decoy" -> decoy(command.getJsonArray("ports"));
      case "prepare" -> prepare(command);
      case "run" -> writer.run();
      case "steady" -> writer.startSteady();
      case "finish" -> writer.finish();
      case "write" -> writer.writeOnce();
      case "reconnect" -> writer.reconnect();
      default -> throw new IllegalArgumentException(command.encode());
    }
  }

  private void serve(JsonArray rows) throws Exception {
    JsonObject ports = new JsonObject();
    for (Object row : rows) {
      Inbound inbound = new Inbound((JsonObject) row);
      deployments.add(vertx.deployVerticle(inbound).await(30, TimeUnit.SECONDS));
      inbounds.add(inbound);
      ports.put(Integer.toString(((JsonObject) row).getInteger("index")), inbound.port());
    }
    Output.line("=serving " + ports);
  }

  private void report() {
    JsonObject report = new JsonObject().put("fabric", TransportCounters.PROCESS.toString());
    JsonArray rows = new JsonArray();
    inbounds.forEach(inbound -> rows.add(inbound.sink().report()));
    Output.line("=report " + report.put("rows", rows));
  }

  /** Blocks all event loops. */
  private void block(int millis) throws InterruptedException {
    List<EventExecutor> loops = new ArrayList<>();
    ((VertxInternal) vertx).nettyEventLoopGroup().forEach(loops::add);
    CountDownLatch blocked = new CountDownLatch(loops.size());
    loops.forEach(loop -> loop.execute(() -> {
      blocked.countDown();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }));
    blocked.await();
    Output.line("=blocked {}");
  }

  private void clear() {
    Future.join(deployments.stream().map(vertx::undeploy).toList()).onComplete(done -> Output.line("=cleared {}"));
    deployments.clear();
    inbounds.clear();
  }

  /** Returns the time since a reading process called {@code vertx.close()}. */
  static long millisOfClose() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - closing);
  }

  private void close() {
    closing = System.nanoTime();
    vertx.close().onComplete(done -> {
      Output.line("=ended " + new JsonObject().put("millis", millisOfClose()));
      new Thread(() -> System.exit(0)).start();
    });
  }

  /** Starts another node that listens at the rows' ports on another address. A client that dials a name expects the fabric there. */
  private void decoy(JsonArray ports) throws Exception {
    Vertx other = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(1));
    awaitNode(other);
    for (Object port : ports) {
      other.createNetServer().connectHandler(NetSocket::close).listen((int) port, "127.0.0.2").await(30, TimeUnit.SECONDS);
    }
    Rdma rdma = Rdma.create(vertx);
    RdmaDirectory directory = rdma.directory().await(30, TimeUnit.SECONDS);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (System.nanoTime() < end && !ports.stream().allMatch(port -> !directory.servicesAt((int) port).isEmpty())) {
      Thread.sleep(20);
    }
    rdma.close().await(30, TimeUnit.SECONDS);
    Output.line("=decoys {}");
  }

  private void prepare(JsonObject command) {
    writer = new Writer(command);
    if (command.getString("ending").equals(Ending.TERM_HOOK.name())) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> {
        writer.hook();
        long start = System.nanoTime();
        try {
          vertx.close().await(20, TimeUnit.SECONDS);
        } catch (Exception e) {
          Output.line("log SEVERE hook " + e);
        }
        Output.line("=ended " + new JsonObject().put("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)));
      }));
    }
    vertx.deployVerticle(writer).onComplete(done -> Output.line("=prepared " + new JsonObject()
      .put("failure", done.failed() ? done.cause().toString() : null).put("channel", writer.channel())));
  }
}
