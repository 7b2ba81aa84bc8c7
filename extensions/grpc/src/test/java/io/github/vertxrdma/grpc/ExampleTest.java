package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import example.greeter.GreeterGrpcClient;
import example.greeter.Name;
import io.github.vertxrdma.grpc.examples.ContractsExample;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples of docs/contracts.adoc work, over a fabric and over HTTP/2 beside it. */
@Timeout(120)
class ExampleTest extends Nodes {
  @Test
  void aServiceIsCalledBothWays() throws Exception {
    Node serving = node();
    RdmaGrpcServer server = await(ContractsExample.serve(serving.vertx(), serving.rdma()));
    Node calling = node();
    assertEquals("hello you", await(ContractsExample.greet(ContractsExample.careful(calling.vertx(), calling.rdma()), "you")));

    HttpServer http = await(serving.vertx().createHttpServer().requestHandler(server).listen(0, "127.0.0.1"));
    GreeterGrpcClient stock = GreeterGrpcClient.create(GrpcClient.client(calling.vertx()),
      SocketAddress.inetSocketAddress(http.actualPort(),
        "127.0.0.1"));
    assertEquals("hello there", await(stock.greet(Name.newBuilder().setValue("there").build())).getWords());
  }
}
