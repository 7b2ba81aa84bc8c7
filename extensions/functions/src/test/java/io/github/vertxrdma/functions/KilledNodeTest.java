package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class KilledNodeTest extends Nodes {
  private String fabric;

  @Override
  String fabric() {
    return fabric;
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "shm"})
  void callsOfAKilledNodeFailAtOnceOrAreRepeated(String over) throws Exception {
    fabric = over;
    Node client = node();
    FunctionClient invoker = FunctionClient.create(client.rdma);
    try (ManagerProcess process = ManagerProcess.start(options())) {
      Lease lease = await(invoker.lease(new LeaseOptions().setWorkers(2).setWaitTimeout(Duration.ofSeconds(20)))).getFirst();
      assertEquals(process.nodeId, lease.nodeId());
      assertEquals("here", await(invoker.invoke("echo", Buffer.buffer("here"))).toString());
      List<Future<Buffer>> lost = IntStream.range(0, 8).mapToObj(i -> invoker.invoke("never", Buffer.buffer("lost" + i))).toList();
      List<Future<Buffer>> again = IntStream.range(0, 8).mapToObj(i -> invoker.invoke("stuck", Buffer.buffer("again" + i))).toList();
      Node second = node();
      second.manager = FunctionServer.create(second.rdma, new FunctionServerOptions().setCores(1)
        .setLoadProviders(false));
      second.manager.register("stuck", new FunctionOptions().setThreading(ThreadingModel.EVENT_LOOP).setIdempotent(true),
        RemoteFunction.of(arguments -> arguments));
      await(second.manager.listen());
      await(invoker.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20))));
      until("all are under way", () -> lease.workers().stream().mapToInt(WorkerInfo::inFlight).sum() == 16);
      long killed = System.nanoTime();
      process.kill();
      for (Future<Buffer> call : lost) {
        assertFails(Reason.WORKER_LOST, process.nodeId, call);
      }
      System.out.printf("%s: calls failed %d ms after their node was killed: %s%n", over,
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed), failure(lost.getFirst()).getMessage());
      for (int i = 0; i < again.size(); i++) {
        assertEquals("again" + i, await(again.get(i)).toString());
      }
      assertFalse(lease.isActive());
      assertTrue(failure(lease.ended()).getMessage().contains(process.nodeId));
      assertFails(Reason.UNKNOWN_FUNCTION, "[stuck]", invoker.invoke("echo", Buffer.buffer()));
    }
    await(invoker.close());
  }
}
