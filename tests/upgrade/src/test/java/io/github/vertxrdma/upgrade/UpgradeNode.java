package io.github.vertxrdma.upgrade;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A node with traffic to named others: requests of the event bus and of a connection, additions to a region's word, calls of a contract and
 * a function. It also calls a contract and a function that all nodes serve. Uses only the API of the first build with ranges of versions.
 * Input: {@code meet NAME}, {@code leave NAME}, {@code stop}.
 */
final class UpgradeNode {
  private static final List<String> NAMES = List.of("a", "b", "c");
  private static final long PAUSE_MILLIS = 5;
  private static final long MEETING_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final String SHARED = "all";
  private static final Duration GRACE = Duration.ofSeconds(20);
  private static final ServiceName ECHO = ServiceName.create("vertxrdma.upgrade.Echo");

  private final Vertx vertx;
  private final Rdma rdma;
  private final String name;
  private final Map<String, Traffic> traffic = new TreeMap<>();
  private final List<RdmaGrpcServer> contracts = new ArrayList<>();
  private final List<FunctionServer> functions = new ArrayList<>();

  private UpgradeNode(Vertx vertx, String name) {
    this.vertx = vertx;
    this.rdma = Rdma.create(vertx);
    this.name = name;
  }

  public static void main(String[] arguments) throws Exception {
    if (!arguments[1].equals("-")) {
      System.setProperty("vertx.rdma.fabric", arguments[1]);
    }
    VertxOptions options = new VertxOptions();
    options.getEventBusOptions().setHost("127.0.0.1");
    int port = Integer.parseInt(arguments[2]);
    UpgradeNode node = new UpgradeNode(await(Vertx.builder().with(options).withClusterManager(new HazelcastClusterManager(
      QuietHazelcast.loopback("upgrade-" + port, port, NAMES.size()))).buildClustered()), arguments[0]);
    node.serve();
    Steady steady = node.new Steady();
    steady.thread.start();
    awaitMeeting(steady.begun);
    System.out.println("ready");
    Scanner in = new Scanner(System.in);
    while (in.hasNext()) {
      switch (in.next()) {
        case "meet" -> node.meet(in.next());
        case "leave" -> node.leave(in.next());
        default -> {
          for (String peer : List.copyOf(node.traffic.keySet())) {
            node.leave(peer);
          }
          steady.leaving = true;
          steady.thread.join();
          System.out.println("calls " + steady.rounds + ' ' + (steady.failure == null ? "complete" : steady.failure));
          for (RdmaGrpcServer server : node.contracts) {
            await(server.shutdown(GRACE));
          }
          for (FunctionServer server : node.functions) {
            await(server.close());
          }
          System.out.println("tcp " + await(node.rdma.statistics()).tcpConnections().stream().filter(each -> each.count() > 0).toList());
          await(node.vertx.close());
          System.out.println("stopped");
          System.exit(0);
        }
      }
    }
    Runtime.getRuntime().halt(1);
  }

  private void serve() throws Exception {
    await(vertx.eventBus().<Long>consumer("bus " + name, message -> message.reply(message.body())).completion());
    await(rdma.createServer().connectHandler(connection -> connection.requestHandler(Future::succeededFuture)).listen("service " + name));
    await(rdma.createRegion(new RegionOptions().setName("region " + name).setSize(4096).setAccess(RegionAccess.READ, RegionAccess.WRITE,
      RegionAccess.ATOMIC)));
    for (String service : List.of(name, SHARED)) {
      RdmaGrpcServer contract = RdmaGrpcServer.create(rdma);
      contract.callHandler(ServiceMethod.server(ECHO, "Echo", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY),
        call -> call.last().onSuccess(message -> call.response().end(message)));
      contracts.add(await(contract.listen("contract " + service)));
      functions.add(await(FunctionServer.create(rdma, new FunctionServerOptions().setCores(NAMES.size()))
        .register("echo", new FunctionOptions().setIdempotent(true), RemoteFunction.of(bytes -> bytes)).listen("functions " + service)));
    }
  }

  private void meet(String peer) throws Exception {
    Traffic with = new Traffic(peer);
    traffic.put(peer, with);
    with.thread.start();
    awaitMeeting(with.met);
    System.out.println("met " + peer + ' ' + with.connection.fabric().device() + ' ' + with.region.fabric());
  }

  private void leave(String peer) throws Exception {
    Traffic with = traffic.remove(peer);
    with.leaving = true;
    with.thread.join();
    System.out.println("left " + peer + ' ' + with.rounds + " rounds " + (with.failure == null ? "complete" : with.failure));
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  private static void awaitMeeting(CountDownLatch met) throws InterruptedException {
    if (!met.await(MEETING_NANOS, TimeUnit.NANOSECONDS)) {
      throw new AssertionError("the peer was not met");
    }
  }

  private final class Calls {
    private final String service;
    private final RdmaGrpcClient contract;
    private final FunctionClient function;

    Calls(String service) {
      this.service = service;
      contract = RdmaGrpcClient.create(rdma, new RdmaGrpcClientOptions().setServer("contract " + service));
      function = FunctionClient.create(rdma);
    }

    void open() throws Exception {
      if (function.leases().isEmpty()) {
        await(function.lease(new LeaseOptions().setService("functions " + service).setKeep(service.equals(SHARED))));
      }
    }

    void make(byte[] body) throws Exception {
      Buffer message = Buffer.buffer(body);
      byte[] answer = await(contract.request(ServiceMethod.client(ECHO, "Echo", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY))
        .compose(request -> request.send(message)).compose(response -> response.last())).getBytes();
      byte[] result = await(function.invoke("echo", message)).getBytes();
      if (!Arrays.equals(body, answer) || !Arrays.equals(body, result)) {
        throw new AssertionError(body.length + " bytes were answered with " + answer.length + " and " + result.length);
      }
    }

    void close() throws Exception {
      await(function.close());
      await(contract.close());
    }
  }

  /** Calls services that all nodes serve, while nodes are replaced. */
  private final class Steady {
    private final Thread thread = new Thread(this::run);
    private final CountDownLatch begun = new CountDownLatch(1);
    private volatile boolean leaving;
    private long rounds;
    private Throwable failure;

    private void run() {
      Calls calls = new Calls(SHARED);
      try {
        calls.open();
        while (!leaving) {
          calls.make(body(++rounds));
          begun.countDown();
          Thread.sleep(PAUSE_MILLIS);
        }
        calls.close();
      } catch (Throwable e) {
        failure = e;
        e.printStackTrace();
      }
    }
  }

  private static byte[] body(long round) {
    return Long.toString(round).repeat(1 + (int) (round % 2000)).getBytes();
  }

  /** Runs each operation with a peer. The first may be repeated, since the peer may not be known yet. */
  private final class Traffic {
    private final String peer;
    private final Thread thread = new Thread(this::run);
    private final CountDownLatch met = new CountDownLatch(1);
    private final Calls calls;
    private volatile boolean leaving;
    private RdmaConnection connection;
    private RemoteRegion region;
    private long count;
    private long rounds;
    private Throwable failure;

    Traffic(String peer) {
      this.peer = peer;
      this.calls = new Calls(peer);
    }

    private void run() {
      try {
        first();
        met.countDown();
        while (!leaving) {
          round();
          Thread.sleep(PAUSE_MILLIS);
        }
        calls.close();
        await(connection.close());
        await(region.close());
      } catch (Throwable e) {
        failure = e;
        e.printStackTrace();
      }
    }

    private void first() throws Exception {
      long end = System.nanoTime() + MEETING_NANOS;
      while (true) {
        try {
          await(vertx.eventBus().request("bus " + peer, 0L));
          connection = await(rdma.connect("service " + peer));
          region = await(rdma.openRegion("region " + peer));
          calls.open();
          calls.make(body(1));
          count = await(region.fetchAndAdd(word(), 1)) + 1;
          return;
        } catch (Exception e) {
          if (System.nanoTime() - end > 0) {
            throw e;
          }
          Thread.sleep(PAUSE_MILLIS);
        }
      }
    }

    private void round() throws Exception {
      rounds++;
      Object answer = await(vertx.eventBus().request("bus " + peer, rounds)).body();
      byte[] body = body(rounds);
      byte[] reply = await(connection.request(Buffer.buffer(body))).getBytes();
      long before = await(region.fetchAndAdd(word(), 1));
      if (!answer.equals(rounds) || !Arrays.equals(body, reply) || before != count++) {
        throw new AssertionError("round " + rounds + " was answered with " + answer + ", " + reply.length + " of " + body.length
          + " bytes and " + before + " instead of " + (count - 1));
      }
      calls.make(body);
    }

    private long word() {
      return 8L * NAMES.indexOf(name);
    }
  }
}
