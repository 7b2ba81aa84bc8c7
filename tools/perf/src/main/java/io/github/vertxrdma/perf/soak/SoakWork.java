package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOpenOptions;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.functions.CallOptions;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.functions.Lease;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.github.vertxrdma.grpc.RdmaGrpcServerOptions;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.client.InvalidStatusException;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Workload of one process: repeats several kinds of operations at random, concurrently on one context. */
final class SoakWork {
  private static final int AT_ONCE = 3;
  private static final int REGIONS = 2;
  /** 1 KiB for a word to which all processes add, and 1 KiB for each concurrent operation of each process. */
  private static final int REGION_BYTES = 64 << 10;
  private static final int MOST_MESSAGES = 100;
  private static final int LARGEST_MESSAGE = 100_000;
  private static final long PAUSE_MILLIS = 5;
  private static final ServiceName SERVICE = ServiceName.create("soak.Contract");
  private static final Duration PATIENCE = Duration.ofMillis(200);
  /** Fabrics with TCP listeners, whose connections can pass a relay. */
  private static final Set<String> RELAYED = Set.of("nio", "tcp");
  private static final String PORT = "port";

  final Tally tally = new Tally();
  private final Member.Node node;
  private final Vertx vertx;
  private final Rdma rdma;
  private final int number;
  private final int members;
  private final Random random;
  private final Context context;
  private final FunctionServer manager;
  private final FunctionClient invoker;
  private final RdmaGrpcServer contracts;
  private final RdmaGrpcClient client;
  private final List<MemoryRegion> regions = new ArrayList<>();
  private final Map<String, Integer> underWay = new HashMap<>();
  private final List<Future<Void>> loops = new ArrayList<>();
  private boolean ending;

  SoakWork(Member.Node node, int number, int members, long seed) {
    this.node = node;
    this.vertx = node.vertx();
    this.rdma = node.rdma();
    this.number = number;
    this.members = members;
    this.random = new Random(seed);
    this.context = vertx.getOrCreateContext();
    this.manager = FunctionServer.create(rdma, new FunctionServerOptions().setCores(1).setLoadProviders(false));
    this.invoker = FunctionClient.create(rdma);
    this.contracts = RdmaGrpcServer.create(rdma, new RdmaGrpcServerOptions());
    this.client = RdmaGrpcClient.create(rdma, new RdmaGrpcClientOptions().setLookupTimeout(Duration.ofMillis(200)));
  }

  Future<Void> start() {
    manager.register("echo", new FunctionOptions().setThreading(ThreadingModel.EVENT_LOOP), RemoteFunction.of(bytes -> bytes));
    return onContext(() -> rdma.createServer().connectHandler(this::echo).listen("soak " + number)
      .compose(server -> RELAYED.contains(node.fabric()) ? listenBehindRelay() : Future.succeededFuture())
      .compose(listening -> manager.listen())
      .compose(started -> {
        contracts.callHandler(ServiceMethod.server(SERVICE, "Echo", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY),
          call -> call.handler(call.response()::end));
        return contracts.listen("soak contract " + number);
      })
      .onSuccess(started -> {
        for (int i = 0; i < AT_ONCE; i++) {
          int lane = i;
          loop("connections", this::converse);
          loop("opened regions", () -> useRegion(lane));
        }
        for (int i = 0; i < REGIONS; i++) {
          int slot = i;
          loop("shared regions", () -> shareRegion(slot));
        }
        loop("leases", this::callFunctions);
        loop("contracts", this::callContracts);
      }).mapEmpty());
  }

  private Future<Void> listenBehindRelay() {
    return rdma.createServer().connectHandler(this::echo).listen(SocketAddress.inetSocketAddress(0, "127.0.0.1"))
      .compose(server -> vertx.executeBlocking(() -> node.network().relay(server.actualPort())))
      .compose(port -> node.directory().publish(new ServiceEntry("relay " + number, node.directory().nodeId(), node.directory().epoch(), 0,
        List.of(), new JsonObject().put(PORT, port))));
  }

  private <T> Future<T> onContext(Supplier<Future<T>> task) {
    Promise<T> promise = Promise.promise();
    context.runOnContext(v -> task.get().onComplete(promise));
    return promise.future();
  }

  Future<Void> end() {
    return onContext(() -> {
      ending = true;
      return Future.join(loops).<Void>mapEmpty();
    }).compose(v -> invoker.close()).compose(v -> client.close()).compose(v -> manager.close());
  }

  String underWay() {
    return underWay.toString();
  }

  private void loop(String what, Supplier<Future<?>> task) {
    Promise<Void> over = Promise.promise();
    loops.add(over.future());
    again(what, task, over);
  }

  private void again(String what, Supplier<Future<?>> task, Promise<Void> over) {
    if (ending) {
      over.complete();
      return;
    }
    underWay.merge(what, 1, Integer::sum);
    task.get().onComplete(done -> {
      underWay.merge(what, -1, Integer::sum);
      if (done.succeeded()) {
        tally.add(what, 1);
      } else {
        failed(what, done.cause());
      }
      vertx.setTimer(1 + random.nextLong(PAUSE_MILLIS), t -> again(what, task, over));
    });
  }

  /** Counts a failed operation. Reports an error if no disturbance explains the cause. */
  private void failed(String what, Throwable cause) {
    String reason = cause instanceof RdmaException e ? e.reason().name()
      : cause instanceof FunctionException e ? e.reason().name() : "OTHER";
    tally.add("failed with " + reason, 1);
    boolean known = cause instanceof RdmaException e && e.reason() != RdmaException.Reason.PROTOCOL || cause instanceof FunctionException
      || cause instanceof GrpcErrorException || cause instanceof InvalidStatusException
      // The gRPC client reports this if there is no server.
      || cause instanceof IllegalStateException && String.valueOf(cause.getMessage()).startsWith("no server ");
    if (!known) {
      tally.wrong(what + " failed with " + cause);
    }
  }

  private String peer() {
    return "soak " + random.nextInt(members);
  }

  private Future<RdmaConnection> connect() {
    int peer = random.nextInt(members);
    List<ServiceEntry> relays = random.nextBoolean() ? node.directory().services("relay " + peer) : List.of();
    return relays.isEmpty() ? rdma.connect("soak " + peer, new RdmaConnectOptions().setLookupTimeout(PATIENCE))
      : rdma.connect(SocketAddress.inetSocketAddress(relays.getFirst().metadata().getInteger(PORT), "127.0.0.1"));
  }

  private void echo(RdmaConnection connection) {
    connection.handler(connection::write).endHandler(v -> connection.end());
  }

  /** Checks that each message is returned once, in order. */
  private Future<?> converse() {
    long seed = random.nextLong();
    int count = 1 + random.nextInt(MOST_MESSAGES);
    return connect().compose(connection -> {
      Promise<Void> over = Promise.promise();
      Random sent = new Random(seed);
      Random expected = new Random(seed);
      int[] back = new int[1];
      connection.handler(message -> {
        back[0]++;
        if (back[0] > count || !message.equals(message(expected))) {
          tally.wrong("message " + back[0] + " of " + count + " over " + connection + " was returned changed, twice or in another order");
        }
      });
      connection.closeHandler(v -> over.tryFail(new RdmaException(RdmaException.Reason.CLOSED, "closed after " + back[0]
        + " of " + count + " messages")));
      connection.endHandler(v -> {
        // An early end is an error only if no close follows. A closing node ends and closes, but a peer that has lost messages only ends.
        if (back[0] == count) {
          over.tryComplete();
        }
      });
      for (int i = 0; i < count; i++) {
        connection.write(message(sent));
      }
      connection.end();
      return over.future().onComplete(v -> {
        tally.add("messages", back[0]);
        connection.close();
      });
    });
  }

  private static Buffer message(Random random) {
    return bytes(random, random.nextInt(8) == 0 ? random.nextInt(LARGEST_MESSAGE) : random.nextInt(500));
  }

  private static Buffer bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return Buffer.buffer(bytes);
  }

  private Future<?> shareRegion(int slot) {
    return rdma.createRegion(new RegionOptions().setName("soak " + number + " " + slot).setSize(REGION_BYTES)
      .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC)).compose(region -> {
        regions.add(region);
        Promise<Void> over = Promise.promise();
        vertx.setTimer(100 + random.nextInt(1000), t -> over.complete());
        return over.future().compose(v -> region.close()).onComplete(v -> regions.remove(region));
      });
  }

  /** Writes and reads this process's part of a region. Adds to a shared word, which must increase. */
  private Future<?> useRegion(int lane) {
    String name = peer() + " " + random.nextInt(REGIONS);
    return rdma.openRegion(name, new RegionOpenOptions().setLookupTimeout(PATIENCE)).compose(region -> {
      Buffer written = bytes(random, random.nextInt(1000));
      return times(1 + random.nextInt(20), () -> region.fetchAndAdd(0, 1)
        .compose(before -> region.fetchAndAdd(0, 1).onSuccess(after -> {
          if (after <= before) {
            tally.wrong("an addition to " + region + " found " + after + " after " + before);
          }
        })).compose(v -> exchangeBytes(region, lane, written))).eventually(region::close);
    });
  }

  private Future<Void> exchangeBytes(RemoteRegion region, int lane, Buffer written) {
    long at = 1024L * (1 + number * AT_ONCE + lane);
    return region.write(at, written).compose(v -> region.read(at, written.length())).onSuccess(read -> {
      tally.add("operations on regions", 4);
      if (!read.equals(written)) {
        tally.wrong("the bytes written to " + region + " were not read back");
      }
    }).mapEmpty();
  }

  private static Future<Void> times(int count, Supplier<Future<Void>> task) {
    return count == 0 ? Future.succeededFuture() : task.get().compose(v -> times(count - 1, task));
  }

  private Future<?> callFunctions() {
    return invoker.lease(new LeaseOptions().setWorkers(1).setDuration(Duration.ofSeconds(10))
      .setWaitTimeout(Duration.ofSeconds(1)))
      .compose(leases -> times(1 + random.nextInt(20), this::call).eventually(() -> Future.join(leases.stream().map(Lease::end).toList())));
  }

  private Future<Void> call() {
    Buffer arguments = bytes(random, random.nextInt(500));
    return invoker.invoke("echo", arguments, CallOptions.DEFAULT.withTimeout(Duration.ofSeconds(10))).onSuccess(result -> {
      tally.add("calls of functions", 1);
      if (!result.equals(arguments)) {
        tally.wrong("a function returned the result of another call");
      }
    }).mapEmpty();
  }

  private Future<?> callContracts() {
    String name = "soak contract " + random.nextInt(members);
    return times(1 + random.nextInt(20), () -> {
      Buffer message = bytes(random, random.nextInt(500));
      return client.request(RdmaGrpcClient.address(name),
        ServiceMethod.client(SERVICE, "Echo", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY))
        .compose(request -> request.timeout(10, TimeUnit.SECONDS).send(message)).compose(GrpcClientResponse::last).onSuccess(answer -> {
          tally.add("calls of contracts", 1);
          if (!message.equals(answer)) {
            tally.wrong("a contract returned the response to another call");
          }
        }).mapEmpty();
    });
  }
}
