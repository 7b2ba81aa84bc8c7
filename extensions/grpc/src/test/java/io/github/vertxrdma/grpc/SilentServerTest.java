package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.vertxrdma.directory.RdmaDirectory;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class SilentServerTest extends Nodes {
  private static final Buffer HELLO = Buffer.buffer("hello");
  private static final int CALLS = 10;

  private Node node;
  private RdmaGrpcClient client;

  @Override
  String fabric() {
    return "shm";
  }

  private AtomicInteger startOther() throws Exception {
    AtomicInteger served = new AtomicInteger();
    RdmaGrpcServer other = server(node(), new RdmaGrpcServerOptions());
    for (String method : List.of("Echo", "Never")) {
      serve(other, method, call -> {
        served.incrementAndGet();
        call.handler(call.response()::end);
      });
    }
    await(other.listen(NAME));
    RdmaDirectory directory = await(node.rdma().directory());
    until("both are known", () -> directory.services(NAME).size() == 2);
    return served;
  }

  private void awaitControlConnection(ServerProcess server) throws Exception {
    assertEquals(server.nodeId, await(node.rdma().statistics(server.nodeId)).nodeId());
  }

  @Test
  void newCallsGoToTheOtherServer() throws Exception {
    node = node();
    client = client(node, new RdmaGrpcClientOptions());
    try (ServerProcess server = ServerProcess.start(options())) {
      assertEquals(HELLO, await(unary(client, "Echo", HELLO)));
      AtomicInteger served = startOther();
      awaitControlConnection(server);
      server.jvm.signal("STOP");
      until("it is suspected", () -> node.rdma().isSuspected(server.nodeId));
      for (int i = 0; i < CALLS; i++) {
        assertEquals(HELLO, await(unary(client, "Echo", HELLO)));
      }
      assertEquals(CALLS, served.get());
      server.jvm.signal("CONT");
      until("it is not suspected any more", () -> !node.rdma().isSuspected(server.nodeId));
      served.set(0);
      for (int i = 0; i < CALLS; i++) {
        assertEquals(HELLO, await(unary(client, "Echo", HELLO)));
      }
      assertEquals(CALLS / 2, served.get(), "calls of the other one");
    }
  }

  @Test
  @Tag("full")
  void idempotentCallsAreMadeAgainAtTheOtherServer() throws Exception {
    node = node();
    client = client(node, new RdmaGrpcClientOptions().setIdempotentMethods(List.of(ECHO.fullyQualifiedName() + "/Never")));
    try (ServerProcess server = ServerProcess.start(options())) {
      assertEquals(HELLO, await(unary(client, "Echo", HELLO)));
      List<Future<Buffer>> again = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        again.add(unary(client, "Never", HELLO));
      }
      assertEquals(HELLO, await(unary(client, "Echo", HELLO)));
      awaitControlConnection(server);
      server.jvm.signal("STOP");
      until("it is suspected", () -> node.rdma().isSuspected(server.nodeId));
      Future<Buffer> once = unary(client, "Echo", HELLO);
      AtomicInteger served = startOther();
      for (Future<Buffer> call : again) {
        assertEquals(HELLO, await(call));
      }
      assertEquals(CALLS, served.get());
      assertFalse(once.isComplete(), "a call that is not idempotent was made again, or failed");
      server.jvm.signal("CONT");
      assertEquals(HELLO, await(once));
    }
  }
}
