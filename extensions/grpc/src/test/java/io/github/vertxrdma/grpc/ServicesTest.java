package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.grpc.interop.InteropGrpcService;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.health.HealthService;
import io.vertx.grpc.reflection.ReflectionService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Vert.x's services of health and reflection; their messages are written by hand here. */
@Timeout(120)
class ServicesTest extends Nodes {

  private static Future<GrpcClientRequest<Buffer, Buffer>> call(RdmaGrpcClient client, String service, String method) {
    return client
      .request(ServiceMethod.client(ServiceName.create(service), method, GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY));
  }

  @Test
  void healthAndReflection() throws Exception {
    Node node = node();
    RdmaGrpcServer server = server(node, new RdmaGrpcServerOptions());
    String name = InteropGrpcService.SERVICE_NAME.fullyQualifiedName();
    server.addService(new InteropServer()).addService(ReflectionService.v1());
    server.addService(HealthService.create(node.vertx()).register(name, () -> Future.succeededFuture(true)));
    await(server.listen(NAME));
    RdmaGrpcClient client = client(node(), new RdmaGrpcClientOptions());
    // HealthCheckRequest: field 1 is the service's name.
    Buffer asked = Buffer.buffer().appendByte((byte) 0x0a).appendByte((byte) name.length()).appendString(name);
    Buffer answer = await(call(client, "grpc.health.v1.Health", "Check").compose(check -> check.send(asked))
      .compose(GrpcClientResponse::last));
    // HealthCheckResponse: field 1 is SERVING.
    assertEquals(Buffer.buffer(new byte[] {8, 1}), answer);
    Promise<Buffer> listed = Promise.promise();
    GrpcClientRequest<Buffer, Buffer> request = await(call(client, "grpc.reflection.v1.ServerReflection", "ServerReflectionInfo"));
    request.response().onFailure(listed::tryFail).onSuccess(response -> response.handler(listed::tryComplete));
    // ServerReflectionRequest: field 7 requests the list of services.
    request.end(Buffer.buffer(new byte[] {0x3a, 1, '*'}));
    assertTrue(await(listed.future()).toString().contains(name));
  }

  @Test
  void replacedHandlerServesOverHttpToo() throws Exception {
    Node node = node();
    RdmaGrpcServer server = server(node, new RdmaGrpcServerOptions());
    for (String answer : new String[] {"old", "new"}) {
      serve(server, "Echo", call -> call.response().end(Buffer.buffer(answer)));
    }
    await(server.listen(NAME));
    int port = await(node.vertx().createHttpServer().requestHandler(server).listen(0, "127.0.0.1")).actualPort();
    Node calling = node();
    assertEquals("new", await(unary(client(calling, new RdmaGrpcClientOptions()), "Echo", Buffer.buffer("x"))).toString());
    GrpcClient caller = GrpcClient.client(calling.vertx());
    assertEquals("new",
      await(caller.request(SocketAddress.inetSocketAddress(port, "127.0.0.1"), clientMethod("Echo"))
        .compose(request -> request.send(Buffer.buffer("x"))).compose(GrpcClientResponse::last)).toString());
  }
}
