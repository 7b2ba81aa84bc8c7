package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.common.GrpcStatus;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ConnectionViewTest extends Nodes {
  private static final Set<String> HAS = Set.of("localAddress", "remoteAddress", "isSsl", "sslSession", "indicatedServerName",
    "closeHandler",
    "exceptionHandler", "shutdownHandler", "shutdown", "close");
  private static final Buffer HELLO = Buffer.buffer("hello");

  private final Promise<HttpConnection> served = Promise.promise();
  private GrpcClientRequest<Buffer, Buffer> request;

  @BeforeEach
  void start() throws Exception {
    RdmaGrpcServer server = server(node(), new RdmaGrpcServerOptions());
    serve(server, "Held", call -> served.complete(call.connection()));
    await(server.listen(NAME));
    request = await(call(client(node(), new RdmaGrpcClientOptions()), "Held"));
    request.write(HELLO);
  }

  private static Object argument(Class<?> type) {
    return type == int.class ? 0 : type == long.class ? (Object) 0L : type == boolean.class ? (Object) false : null;
  }

  @Test
  void methodsOfHttpFailByName() throws Exception {
    int refused = 0;
    for (Method method : HttpConnection.class.getMethods()) {
      if (HAS.contains(method.getName()) || !Modifier.isAbstract(method.getModifiers())) {
        continue;
      }
      Object[] arguments = Stream.of(method.getParameterTypes()).map(ConnectionViewTest::argument).toArray();
      for (HttpConnection view : new HttpConnection[] {request.connection(), await(served.future())}) {
        Throwable failure = assertThrows(InvocationTargetException.class, () -> method.invoke(view, arguments), method.toString())
          .getCause();
        assertTrue(assertInstanceOf(UnsupportedOperationException.class, failure).getMessage().contains("uses an RDMA connection"),
          method.toString());
      }
      refused++;
    }
    assertTrue(refused >= 8, refused + " methods");
  }

  @Test
  void addressesHandlersAndTheClose() throws Exception {
    HttpConnection client = request.connection();
    HttpConnection server = await(served.future());
    assertTrue(client.remoteAddress().isDomainSocket());
    assertEquals(client.remoteAddress(), server.localAddress());
    assertEquals(client.localAddress(true), server.remoteAddress(true));
    assertFalse(client.isSsl());
    assertNull(client.sslSession());
    Promise<Void> leaving = Promise.promise();
    Promise<Void> clientClosed = Promise.promise();
    Promise<Void> serverClosed = Promise.promise();
    Promise<Throwable> told = Promise.promise();
    client.closeHandler(clientClosed::tryComplete).exceptionHandler(told::tryComplete);
    server.shutdownHandler(leaving::tryComplete).closeHandler(serverClosed::tryComplete);
    await(server.close());
    await(leaving.future());
    await(serverClosed.future());
    await(clientClosed.future());
    assertTrue(await(told.future()).getMessage().contains("closed"));
    assertFails(GrpcStatus.UNAVAILABLE, request.response());
    assertEquals(client.remoteAddress(), request.connection().remoteAddress(), "of a call whose connection is lost");
  }
}
