package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import example.greeter.GreeterGrpcClient;
import example.greeter.GreeterGrpcService;
import example.greeter.Greeting;
import example.greeter.Name;
import io.github.vertxrdma.grpc.examples.ContractsExample;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.InvalidStatusException;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.StatusException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Interceptors see who calls what, at both sides, and keep calls from their handlers. */
@Timeout(120)
class InterceptorTest extends Nodes {
  private static final Buffer HELLO = Buffer.buffer("hello");

  private static String nodeId(Node node) throws Exception {
    return await(node.rdma().directory()).nodeId();
  }

  /** A service that was generated sees messages alone. */
  private static GreeterGrpcService greeter() {
    return new GreeterGrpcService() {
      @Override
      public Future<Greeting> greet(Name name) {
        RdmaGrpcCall call = RdmaGrpcCall.current();
        return Future.succeededFuture(Greeting.newBuilder()
          .setWords(call.fullMethodName() + " of " + call.remoteNodeId() + ", " + call.headers().get("key")).build());
      }
    };
  }

  private static String greeting(GrpcClient client, SocketAddress address) throws Exception {
    return await(GreeterGrpcClient.create(client, address).greet(Name.getDefaultInstance())).getWords();
  }

  @Test
  void aServiceKnowsTheNodeThatCallsIt() throws Exception {
    Node serving = node();
    RdmaGrpcServer server = await(RdmaGrpcServer.create(serving.vertx(), serving.rdma()).addService(greeter()).listen(NAME));
    Node calling = node();
    RdmaGrpcClient client = client(calling, new RdmaGrpcClientOptions()).addInterceptor(call -> call.headers().set("key", call.remoteNodeId()));
    assertEquals("example.Greeter/Greet of " + nodeId(calling) + ", " + nodeId(serving), greeting(client, RdmaGrpcClient.address(NAME)));
    assertNull(RdmaGrpcCall.current());

    int port = await(serving.vertx().createHttpServer().requestHandler(server).listen(0, "127.0.0.1")).actualPort();
    assertEquals("example.Greeter/Greet of null, null",
      greeting(GrpcClient.client(calling.vertx()), SocketAddress.inetSocketAddress(port, "127.0.0.1")));
  }

  @Test
  void whatAnInterceptorRefusesReachesNoHandler() throws Exception {
    Node serving = node();
    Node trusted = node();
    RdmaGrpcServer server = server(serving, new RdmaGrpcServerOptions());
    AtomicInteger handled = new AtomicInteger();
    serve(server, "Echo", call -> {
      handled.incrementAndGet();
      call.handler(call.response()::end);
    });
    ContractsExample.guard(server, Set.of(nodeId(trusted)));
    await(server.listen(NAME));
    assertEquals(HELLO, await(unary(client(trusted, new RdmaGrpcClientOptions()), "Echo", HELLO)));
    RdmaGrpcClient stranger = client(node(), new RdmaGrpcClientOptions());
    assertStatus(GrpcStatus.PERMISSION_DENIED, unary(stranger, "Echo", HELLO));

    int port = await(serving.vertx().createHttpServer().requestHandler(server).listen(0, "127.0.0.1")).actualPort();
    Future<Buffer> http = GrpcClient.client(trusted.vertx()).request(SocketAddress.inetSocketAddress(port, "127.0.0.1"), clientMethod("Echo"))
      .compose(request -> request.send(HELLO)).compose(response -> response.last());
    assertEquals(GrpcStatus.PERMISSION_DENIED, ((InvalidStatusException) failure(http)).actualStatus());
    assertEquals(1, handled.get());
  }

  @Test
  void interceptorsRunInTurnUntilOneThrows() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions())
      .addInterceptor(call -> call.headers().set("turns", "1"))
      .addInterceptor(call -> call.headers().set("turns", call.headers().get("turns") + "2"))
      .addInterceptor(call -> {
        if (call.headers().contains("odd")) {
          throw new IllegalStateException("odd");
        }
      });
    serve(server, "Turns", call -> call.last().onSuccess(m -> call.response().end(Buffer.buffer(call.headers().get("turns")))));
    await(server.listen(NAME));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    assertEquals("12", await(unary(client, "Turns", HELLO)).toString());
    GrpcClientRequest<Buffer, Buffer> odd = await(call(client, "Turns"));
    odd.headers().set("odd", "yes");
    assertStatus(GrpcStatus.UNKNOWN, odd.send(HELLO).compose(response -> response.last()));

    client.addInterceptor(call -> {
      throw new StatusException(GrpcStatus.UNAUTHENTICATED, "no token");
    });
    GrpcClientRequest<Buffer, Buffer> refused = await(call(client, "Turns"));
    assertThrows(StatusException.class, () -> refused.write(HELLO));
  }
}
