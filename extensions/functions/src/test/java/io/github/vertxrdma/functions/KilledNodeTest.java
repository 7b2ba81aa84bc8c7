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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class KilledNodeTest extends Nodes {
  private static final int CALLS = 20;

  @Override
  String fabric() {
    return "shm";
  }

  @Test
  void callsOfAKilledNodeFailAtOnceOrAreRepeated() throws Exception {
    Node client = node();
    FunctionClient invoker = FunctionClient.create(client.rdma);
    try (ManagerProcess process = ManagerProcess.start(options(), false)) {
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
      process.jvm.kill();
      for (Future<Buffer> call : lost) {
        assertFails(Reason.WORKER_LOST, process.nodeId, call);
      }
      for (int i = 0; i < again.size(); i++) {
        assertEquals("again" + i, await(again.get(i)).toString());
      }
      assertFalse(lease.isActive());
      assertTrue(failure(lease.ended()).getMessage().contains(process.nodeId));
      assertFails(Reason.UNKNOWN_FUNCTION, "[stuck]", invoker.invoke("echo", Buffer.buffer()));
    }
    await(invoker.close());
  }

  /** The server of some workers is stopped: new calls use those of another server. */
  @Test
  @Tag("full")
  void newCallsGoToWorkersOfTheOtherServer() throws Exception {
    Node client = node();
    FunctionClient invoker = FunctionClient.create(client.rdma);
    LeaseOptions one = new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20));
    try (ManagerProcess process = ManagerProcess.start(options(), false)) {
      Lease stopped = await(invoker.lease(one)).getFirst();
      assertEquals(process.nodeId, stopped.nodeId());
      Node other = manager(new FunctionServerOptions().setCores(1));
      await(invoker.lease(new LeaseOptions(one).setNodeId(await(other.rdma.directory()).nodeId())));
      await(client.rdma.statistics(process.nodeId));
      process.jvm.signal("STOP");
      until("it is suspected", () -> client.rdma.isSuspected(process.nodeId));
      for (int i = 0; i < CALLS; i++) {
        assertEquals("call " + i, await(invoker.invoke("echo", Buffer.buffer("call " + i))).toString());
      }
      assertEquals(0, stopped.workers().stream().mapToInt(WorkerInfo::inFlight).sum());
      process.jvm.signal("CONT");
      until("it is not suspected any more", () -> !client.rdma.isSuspected(process.nodeId));
      assertTrue(stopped.isActive());
    }
    await(invoker.close());
  }
}
