package io.github.vertxrdma.demo;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.common.WireFormat;
import io.vertx.grpc.server.GrpcServerRequest;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A service with one method of each kind, served over the fabric and, by its twin, over HTTP/2: the client differs in the address alone.
 */
final class ContractDemo {
  private static final String NAME = "fruit";
  private static final ServiceName SERVICE = ServiceName.create("demo.Fruit");
  private static final int EACH = 30;

  private ContractDemo() {
  }

  static void run(Pair pair, Demo.Contract arguments) throws Exception {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx, pair.options());
    if (pair.isClient()) {
      int port = Integer.parseInt(pair.startServer());
      client(vertx, rdma, SocketAddress.inetSocketAddress(port, "127.0.0.1"), arguments.calls);
    } else {
      Pair.serve(Integer.toString(serve(vertx, rdma)));
    }
    DemoNode.await(vertx.close());
  }

  /** @return the port of HTTP/2 */
  private static int serve(Vertx vertx, Rdma rdma) throws Exception {
    RdmaGrpcServer server = RdmaGrpcServer.create(vertx, rdma);
    server.callHandler(served("Price"), call -> call.handler(order -> call.response().end(cents(order.getInteger("amount")))));
    server.callHandler(served("Count"), call -> call.handler(order -> {
      IntStream.rangeClosed(1, order.getInteger("amount")).forEach(n -> call.response().write(cents(n)));
      call.response().end();
    }));
    server.callHandler(served("Basket"), call -> {
      int[] all = {0};
      call.handler(order -> all[0] += order.getInteger("amount")).endHandler(v -> call.response().end(cents(all[0])));
    });
    server.callHandler(served("Haggle"), ContractDemo::haggle);
    DemoNode.await(server.listen(NAME));
    return DemoNode.await(vertx.createHttpServer().requestHandler(server).listen(0, "127.0.0.1")).actualPort();
  }

  private static void haggle(GrpcServerRequest<JsonObject, JsonObject> call) {
    call.response().format(WireFormat.JSON);
    call.handler(offer -> call.response().write(new JsonObject().put("cents", (offer.getInteger("cents") + EACH) / 2)))
      .endHandler(v -> call.response().end());
  }

  private static JsonObject cents(int amount) {
    return new JsonObject().put("cents", EACH * amount);
  }

  private static JsonObject order(int amount) {
    return new JsonObject().put("amount", amount);
  }

  private static ServiceMethod<JsonObject, JsonObject> served(String method) {
    return ServiceMethod.server(SERVICE, method, GrpcMessageEncoder.JSON_OBJECT, GrpcMessageDecoder.JSON_OBJECT);
  }

  private static void client(Vertx vertx, Rdma rdma, SocketAddress http, int calls) throws Exception {
    Context context = vertx.getOrCreateContext();
    Caller fabric = new Caller(context, RdmaGrpcClient.create(vertx, rdma), RdmaGrpcClient.address(NAME));
    Caller tcp = new Caller(context, GrpcClient.client(vertx), http);
    for (Caller caller : List.of(fabric, tcp)) {
      kinds(caller);
    }
    String over = DemoNode.await(rdma.statistics()).devices().stream().filter(device -> device.traffic().messagesSent() > 0)
      .map(device -> device.device()).findFirst().orElseThrow(() -> new IOException("no call went over a fabric"));
    System.out.println("a call, a stream from the server, one to the server and one each way: the same over " + over + " and over HTTP/2");
    Latencies ours = row(fabric, calls);
    Latencies theirs = row(tcp, calls);
    ours.print(calls + " unary calls, in a row", over, theirs, "HTTP/2");
    System.out.println("done: every call was answered");
  }

  private static void kinds(Caller caller) throws Exception {
    caller.expect("Price", List.of(order(3)), List.of(cents(3)));
    caller.expect("Count", List.of(order(3)), List.of(cents(1), cents(2), cents(3)));
    caller.expect("Basket", List.of(order(1), order(2)), List.of(cents(3)));
    caller.expect("Haggle", List.of(new JsonObject().put("cents", 10), new JsonObject().put("cents", 20)),
      List.of(new JsonObject().put("cents", 20), new JsonObject().put("cents", 25)));
  }

  private static Latencies row(Caller caller, int calls) throws Exception {
    return Latencies.of(caller.context, calls, i -> caller.call("Price", List.of(order(i)), List.of(cents(i))));
  }

  /** One way to the service. */
  private record Caller(Context context, GrpcClient client, SocketAddress server) {

    /** Makes a call, and compares all of its answer. */
    void expect(String method, List<JsonObject> messages, List<JsonObject> answers) throws Exception {
      // On a context of Vert.x, where the answer is asked for before it can come.
      Promise<Object> promise = Promise.promise();
      context.runOnContext(v -> call(method, messages, answers).onComplete(promise));
      DemoNode.await(promise.future());
    }

    /** The same on the context. */
    Future<Object> call(String method, List<JsonObject> messages, List<JsonObject> answers) {
      return client.request(server, ServiceMethod.client(SERVICE, method, GrpcMessageEncoder.JSON_OBJECT, GrpcMessageDecoder.JSON_OBJECT))
        .compose(request -> send(request.format(WireFormat.JSON), messages)).compose(response -> response.collect(Collectors.toList()))
        .compose(received -> received.equals(answers) ? Future.succeededFuture()
          : Future.failedFuture(new IOException(method + " was answered by " + received + " instead of " + answers)));
    }

    private static Future<GrpcClientResponse<JsonObject, JsonObject>> send(GrpcClientRequest<JsonObject, JsonObject> request,
      List<JsonObject> messages) {
      messages.subList(0, messages.size() - 1).forEach(request::write);
      request.end(messages.getLast());
      return request.response();
    }
  }
}
