package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One of two servers shuts down while clients call, some of which are still connecting. No call fails, and nothing is a WARNING. */
@OverFabrics(value = {"memory", "shm", "nio", "verbs:nic"}, full = {"tcp", "rxm"})
class ShutdownTest extends FabricNodes {
  private static final int CALLS = 200;

  private Node leaving;
  private Node calling;
  private RdmaDirectory directory;

  @BeforeEach
  void start() throws Exception {
    leaving = node();
    listen(node());
    calling = node();
    directory = await(calling.rdma().directory());
  }

  private RdmaGrpcServer listen(Node node) throws Exception {
    RdmaGrpcServer server = server(node, new RdmaGrpcServerOptions());
    serve(server, "Echo", call -> call.handler(call.response()::end));
    return await(server.listen(NAME));
  }

  private void rounds(int count) throws Exception {
    try (LogLines log = new LogLines("io.github.vertxrdma")) {
      for (int round = 0; round < count; round++) {
        RdmaGrpcServer server = listen(leaving);
        until("both are known", () -> directory.services(NAME).size() == 2);
        RdmaGrpcClient client = client(calling, new RdmaGrpcClientOptions());
        List<Future<Buffer>> answers = new ArrayList<>();
        Future<Void> down = null;
        // The moment of the shutdown differs: before, among and after the calls.
        int moment = round % 5 * CALLS / 4;
        for (int i = 0; i < CALLS; i++) {
          if (i == moment) {
            down = server.shutdown(Duration.ofSeconds(20));
          }
          answers.add(unary(client, "Echo", Buffer.buffer("hello")));
        }
        if (down == null) {
          down = server.shutdown(Duration.ofSeconds(20));
        }
        for (int i = 0; i < CALLS; i++) {
          int call = i;
          int at = round;
          await(answers.get(i).recover(cause -> Future.failedFuture(new AssertionError("call " + call + " of round " + at, cause))));
        }
        await(down);
        await(client.close());
      }
      assertEquals(List.of(), log.warnings());
    }
  }

  @Test
  @Timeout(120)
  void aServerThatShutsDownLosesNoCall() throws Exception {
    rounds(20);
  }

  @Test
  @Tag("long")
  @Timeout(14_400)
  void manyServersThatShutDownLoseNoCall() throws Exception {
    rounds(10_000);
  }
}
