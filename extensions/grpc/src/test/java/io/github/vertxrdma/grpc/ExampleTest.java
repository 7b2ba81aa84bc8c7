package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import example.greeter.GreeterGrpcClient;
import example.greeter.Name;
import io.github.vertxrdma.grpc.examples.ContractsExample;
import io.github.vertxrdma.grpc.examples.Greet;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.server.GrpcProtocol;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples of docs/contracts.adoc, over a fabric and over HTTP/2. */
@Timeout(120)
@Tag("polling")
class ExampleTest extends Nodes {
  @Test
  void aServiceIsCalledBothWays() throws Exception {
    Node serving = node();
    RdmaGrpcServer server = await(Greet.serve(serving.rdma()));
    Node calling = node();
    assertEquals("hello you", await(Greet.greet(ContractsExample.careful(calling.rdma()), "you")));

    HttpServer http = await(serving.vertx().createHttpServer().requestHandler(server).listen(0, "127.0.0.1"));
    GreeterGrpcClient stock = GreeterGrpcClient.create(GrpcClient.client(calling.vertx()),
      SocketAddress.inetSocketAddress(http.actualPort(),
        "127.0.0.1"));
    assertEquals("hello there", await(stock.greet(Name.newBuilder().setValue("there").build())).getWords());
  }

  @Test
  void streamingServiceStopsWhenItsClientIsGone() throws Exception {
    Node serving = node();
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    serving.vertx().exceptionHandler(failures::add);
    RdmaGrpcServer server = await(ContractsExample.remind(serving.rdma()));
    RdmaGrpcClient client = RdmaGrpcClient.create(node().rdma());
    Promise<String> first = Promise.promise();
    await(GreeterGrpcClient.create(client, RdmaGrpcClient.address("reminder")).remind(Name.newBuilder().setValue("me").build())
      .onSuccess(reminders -> reminders.handler(greeting -> first.tryComplete(greeting.getWords()))));
    assertEquals("remember me", await(first.future()));
    await(client.close());
    await(server.shutdown(Duration.ofSeconds(60)));
    Promise<Void> later = Promise.promise();
    int[] ticks = {0};
    serving.vertx().setPeriodic(100, id -> {
      if (++ticks[0] == 5) {
        later.tryComplete();
      }
    });
    await(later.future());
    assertEquals(List.of(), failures);
  }

  @Test
  void disabledProtocolIsRefusedOverHttp() throws Exception {
    Node serving = node();
    RdmaGrpcServer server = RdmaGrpcServer.create(serving.rdma(),
      new RdmaGrpcServerOptions(new RdmaGrpcServerOptions().removeEnabledProtocol(GrpcProtocol.HTTP_2).toJson()));
    HttpServer http = await(serving.vertx().createHttpServer().requestHandler(server).listen(0, "127.0.0.1"));
    GreeterGrpcClient stock = GreeterGrpcClient.create(GrpcClient.client(serving.vertx()),
      SocketAddress.inetSocketAddress(http.actualPort(), "127.0.0.1"));
    assertThrows(ExecutionException.class, () -> await(stock.greet(Name.newBuilder().setValue("there").build())));
    HttpClient web = serving.vertx().createHttpClient();
    for (String type : List.of("application/grpc-web+proto", "application/grpc")) {
      int status = await(web.request(HttpMethod.POST, http.actualPort(), "127.0.0.1", "/example.Greeter/Greet")
        .compose(request -> request.putHeader("content-type", type).send(Buffer.buffer(new byte[5])).map(HttpClientResponse::statusCode)));
      assertEquals(type.endsWith("grpc") ? 415 : 200, status, type);
    }
  }
}
