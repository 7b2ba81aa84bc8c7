package io.github.vertxrdma.demo;

import static io.github.vertxrdma.demo.Main.await;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Two demos of services. In the first, a process outside a cluster uses an address of the cluster's event bus, which a Hazelcast client
 * finds. In the second, gRPC clients call methods of each kind over the fabric and HTTP/2.
 */
final class Services {
  private static final String ORDERS = "orders";
  private static final int MOST = 100;
  private static final String FRUIT = "fruit";
  private static final ServiceName CONTRACT = ServiceName.create("demo.Fruit");

  static void service(DemoPair pair, Demo.Service arguments) throws Exception {
    RdmaOptions options = new RdmaOptions().setFabric(pair.arguments().fabric);
    if (!pair.isClient()) {
      int port = Main.freePorts(1);
      Vertx vertx = await(Vertx.builder().withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback("demo-" + port, port, 1)))
        .buildClustered());
      vertx.eventBus().<JsonObject>consumer(ORDERS, order -> {
        if (order.body().getInteger("amount") > MOST) {
          order.fail(413, "too many");
        } else {
          order.reply(order.body().getInteger("amount") + " apples are ordered");
        }
      });
      await(vertx.deployVerticle("rdma:" + ORDERS, new DeploymentOptions()
        .setConfig(new RdmaBusServiceOptions().setRdma(options).toJson())));
      DemoPair.serve(Integer.toString(port));
      return;
    }
    String port = pair.startServer();
    Vertx vertx = Vertx.vertx();
    options.setDirectory(new DirectoryOptions().setType(HazelcastDirectory.TYPE).setSettings(JsonObject.of(
      HazelcastDirectory.CLUSTER, "demo-" + port, HazelcastDirectory.MEMBERS, List.of("127.0.0.1:" + port))));
    RdmaBusClient orders = await(
      Rdma.create(vertx, options).connectBus(ORDERS, new RdmaBusClientOptions().setLookupTimeout(Main.PATIENCE)));
    System.out.println("clustered: " + vertx.isClustered() + "; '" + ORDERS + "' of node " + orders.remoteNodeId() + " is reached over "
      + orders.fabric());
    for (int amount : new int[] {3, 500}) {
      System.out.println("an order of " + amount + ": " + await(order(orders, amount)));
    }
    long[] times = DemoPair.time(vertx.getOrCreateContext(), arguments.requests, i -> order(orders, 1 + i % MOST)
      .compose(answer -> BesideTcp.check(answer, 1 + i % MOST + " apples are ordered")));
    System.out.println(arguments.requests + " orders, half of them within " + DemoPair.percentile(times, 50) + ", 99 of 100 within "
      + DemoPair.percentile(times, 99));
    System.out.println("done: every order was answered");
    await(vertx.close());
  }

  private static Future<String> order(RdmaBusClient orders, int amount) {
    return orders.<String>request(new JsonObject().put("amount", amount)).map(Message::body).recover(
      cause -> cause instanceof ReplyException e ? Future.succeededFuture("refused, " + e.failureCode() + " " + e.getMessage())
        : Future.failedFuture(cause));
  }

  static void contract(DemoPair pair, Demo.Contract arguments) throws Exception {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx, pair.options());
    if (!pair.isClient()) {
      DemoPair.serve(Integer.toString(serveContract(vertx, RdmaGrpcServer.create(rdma))));
      return;
    }
    Context context = vertx.getOrCreateContext();
    Caller tcp = new Caller(GrpcClient.client(vertx), SocketAddress.inetSocketAddress(Integer.parseInt(pair.startServer()), "127.0.0.1"));
    Caller fabric = new Caller(RdmaGrpcClient.create(rdma), RdmaGrpcClient.address(FRUIT));
    for (Caller caller : List.of(fabric, tcp)) {
      DemoPair.time(context, 1, i -> caller.call("Price", List.of(3), 90).compose(v -> caller.call("Count", List.of(3), 30, 60, 90))
        .compose(v -> caller.call("Basket", List.of(1, 2), 90)).compose(v -> caller.call("Haggle", List.of(10, 20), 20, 25)));
    }
    System.out.println("a call, a stream from the server, one to the server and one each way: the same over " + DemoPair.fabric(rdma)
      + " and over HTTP/2");
    long[] times = DemoPair.time(context, arguments.calls, i -> fabric.call("Price", List.of(i), 30 * i));
    long[] http = DemoPair.time(context, arguments.calls, i -> tcp.call("Price", List.of(i), 30 * i));
    DemoPair.print(arguments.calls + " unary calls, in a row", DemoPair.fabric(rdma), times, "HTTP/2", http);
    System.out.println("done: every call was answered");
    await(vertx.close());
  }

  /** Serves the gRPC methods. Returns the HTTP/2 port. */
  private static int serveContract(Vertx vertx, RdmaGrpcServer server) throws Exception {
    server.callHandler(served("Price"), call -> call.handler(order -> call.response().end(bytes(30 * number(order)))));
    server.callHandler(served("Count"), call -> call.handler(order -> IntStream.rangeClosed(1, number(order))
      .forEach(n -> call.response().write(bytes(30 * n)))).endHandler(v -> call.response().end()));
    server.callHandler(served("Basket"), call -> call.collect(Collectors.summingInt(Services::number))
      .onSuccess(all -> call.response().end(bytes(30 * all))));
    server.callHandler(served("Haggle"), call -> call.handler(offer -> call.response().write(bytes((number(offer) + 30) / 2)))
      .endHandler(v -> call.response().end()));
    await(server.listen(FRUIT));
    return await(vertx.createHttpServer().requestHandler(server).listen(0, "127.0.0.1")).actualPort();
  }

  private static ServiceMethod<Buffer, Buffer> served(String method) {
    return ServiceMethod.server(CONTRACT, method, GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY);
  }

  private static Buffer bytes(int number) {
    return Buffer.buffer().appendInt(number);
  }

  private static int number(Buffer bytes) {
    return bytes.getInt(0);
  }

  /** A gRPC client and the address of its server. */
  private record Caller(GrpcClient client, SocketAddress server) {

    /** Makes a call and checks the answers. */
    Future<Void> call(String method, List<Integer> messages, Integer... answers) {
      return client.request(server, ServiceMethod.client(CONTRACT, method, GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY))
        .compose(request -> {
          messages.subList(0, messages.size() - 1).forEach(number -> request.write(bytes(number)));
          request.end(bytes(messages.getLast()));
          return request.response();
        }).compose(response -> response.collect(Collectors.mapping(Services::number, Collectors.toList())))
        .compose(received -> BesideTcp.check(received, List.of(answers)));
    }
  }
}
