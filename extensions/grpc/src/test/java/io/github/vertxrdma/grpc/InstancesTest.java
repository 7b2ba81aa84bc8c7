package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.RdmaDirectory;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several servers of a name: turns, loads, and servers that close or die. */
@Timeout(120)
class InstancesTest extends Nodes {
  private static final Buffer HELLO = Buffer.buffer("hello");

  private final List<Node> nodes = new ArrayList<>();
  private final List<RdmaGrpcServer> servers = new ArrayList<>();
  private final Map<String, AtomicInteger> held = new HashMap<>();
  private Node calling;

  @BeforeEach
  void start() throws Exception {
    for (String who : List.of("first", "second")) {
      Node node = node();
      RdmaGrpcServer server = server(node, new RdmaGrpcServerOptions());
      AtomicInteger count = new AtomicInteger();
      held.put(who, count);
      serve(server, "Who", call -> call.last().onSuccess(v -> call.response().end(Buffer.buffer(who))));
      serve(server, "Hold", call -> {
        count.incrementAndGet();
        call.errorHandler(error -> count.decrementAndGet());
      });
      serve(server, "HoldFirst", call -> {
        if (held.values().stream().mapToInt(AtomicInteger::get).sum() == 0) {
          count.incrementAndGet();
        } else {
          call.response().end(Buffer.buffer(who));
        }
      });
      await(server.listen(NAME));
      nodes.add(node);
      servers.add(server);
    }
  }

  private RdmaGrpcClient client(RdmaGrpcClientOptions options) throws Exception {
    calling = node();
    RdmaGrpcClient client = client(calling, options);
    RdmaDirectory directory = await(calling.rdma().directory());
    until("both are known", () -> directory.services(NAME).size() == 2);
    return client;
  }

  @Test
  void callsUseServersInTurn() throws Exception {
    RdmaGrpcClient client = client(new RdmaGrpcClientOptions());
    Map<String, Integer> who = new HashMap<>();
    for (int i = 0; i < 20; i++) {
      who.merge(await(unary(client, "Who", HELLO)).toString(), 1, Integer::sum);
    }
    // The first call may have found only one of them.
    assertTrue(who.get("first") >= 9 && who.get("second") >= 9, who.toString());
  }

  /** Names that are called alternately would each use one instance if they shared the turn. */
  @Test
  void eachNameHasItsOwnRoundRobin() throws Exception {
    for (Node node : nodes) {
      RdmaGrpcServer server = server(node, new RdmaGrpcServerOptions());
      String who = node == nodes.getFirst() ? "first" : "second";
      serve(server, "Who", call -> call.last().onSuccess(v -> call.response().end(Buffer.buffer(who))));
      await(server.listen("others"));
    }
    RdmaGrpcClient client = client(new RdmaGrpcClientOptions());
    RdmaDirectory directory = await(calling.rdma().directory());
    until("both are known by their other name", () -> directory.services("others").size() == 2);
    Map<String, Integer> who = new HashMap<>();
    for (int i = 0; i < 20; i++) {
      String name = i % 2 == 0 ? NAME : "others";
      Future<Buffer> answer = client.request(RdmaGrpcClient.address(name), clientMethod("Who")).compose(request -> request.send(HELLO))
        .compose(GrpcClientResponse::last);
      who.merge(name + " of the " + await(answer), 1, Integer::sum);
    }
    assertEquals(4, who.size(), who.toString());
    assertTrue(who.values().stream().allMatch(calls -> calls == 5), who.toString());
  }

  @Test
  void callsPreferInstanceWithFewerCalls() throws Exception {
    RdmaGrpcClient client = client(new RdmaGrpcClientOptions().setBalancing(Balancing.LEAST_OUTSTANDING));
    await(unary(client, "Who", HELLO));
    for (int i = 0; i < 10; i++) {
      int n = i;
      unary(client, "Hold", HELLO);
      until("it is under way", () -> held.values().stream().mapToInt(AtomicInteger::get).sum() == n + 1);
    }
    assertEquals(5, held.get("first").get());
    assertEquals(5, held.get("second").get());
  }

  @Test
  void callsThatWaitForAConnectionAreUnderWay() throws Exception {
    RdmaGrpcClient client = client(new RdmaGrpcClientOptions().setBalancing(Balancing.LEAST_OUTSTANDING));
    Context context = calling.vertx().getOrCreateContext();
    Promise<Buffer> known = Promise.promise();
    context.runOnContext(v -> unary(client, "Who", HELLO).onComplete(known));
    await(known.future());
    context.runOnContext(v -> {
      for (int i = 0; i < 10; i++) {
        unary(client, "Hold", HELLO);
      }
    });
    until("all are under way", () -> held.values().stream().mapToInt(AtomicInteger::get).sum() == 10);
    assertEquals(5, held.get("first").get());
  }

  @Test
  void callsOfAServerThatEndsFailOrAreMadeAgain() throws Exception {
    RdmaGrpcClient careful = client(new RdmaGrpcClientOptions().setIdempotentMethods(List.of("vertxrdma.test.Echo/HoldFirst")));
    Future<Buffer> again = unary(careful, "HoldFirst", HELLO);
    until("it is under way", () -> held.values().stream().mapToInt(AtomicInteger::get).sum() == 1);
    int at = held.get("first").get() == 1 ? 0 : 1;
    RdmaGrpcClient other = client(new RdmaGrpcClientOptions());
    List<Future<Buffer>> lost = List.of(unary(other, "Hold", HELLO), unary(other, "Hold", HELLO));
    until("each has one more", () -> held.values().stream().mapToInt(AtomicInteger::get).sum() == 3);
    await(nodes.get(at).vertx().close());
    assertEquals(at == 0 ? "second" : "first", await(again).toString());
    until("one of them has failed", () -> lost.stream().anyMatch(Future::isComplete));
    assertFails(GrpcStatus.UNAVAILABLE, lost.stream().filter(Future::isComplete).findFirst().orElseThrow());
    assertEquals(1, lost.stream().filter(Future::isComplete).count());
  }
}
