package io.github.vertxrdma.examples;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcServer;

/** The code that docs/event-bus.adoc shows. */
final class GrpcExamples {
  private GrpcExamples() {
  }

  // tag::grpc[]
  static final ServiceName GREETER = ServiceName.create("example.Greeter");

  static Future<HttpServer> serveGreeter(Vertx vertx) {
    GrpcServer calls = GrpcServer.server(vertx).callHandler(
      ServiceMethod.server(GREETER, "Greet", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY),
      call -> call.last().onSuccess(name -> call.response().end(Buffer.buffer("hello ").appendBuffer(name))));
    return vertx.createHttpServer().requestHandler(calls).listen(Rdma.address("127.0.0.1", 9090));
  }

  static Future<Buffer> greet(GrpcClient client, String name) {
    ServiceMethod<Buffer, Buffer> greet = ServiceMethod.client(GREETER, "Greet", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY);
    return client.request(Rdma.address("127.0.0.1", 9090), greet)
      .compose(call -> call.send(Buffer.buffer(name)))
      .compose(GrpcClientResponse::last);
  }
  // end::grpc[]
}
