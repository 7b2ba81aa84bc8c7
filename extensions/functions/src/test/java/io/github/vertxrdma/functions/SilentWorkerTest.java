package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server of some workers is stopped: new calls use those of another server. */
@Timeout(120)
class SilentWorkerTest extends Nodes {
  private static final int CALLS = 20;

  @Override
  String fabric() {
    return "shm";
  }

  @Test
  @Tag("full")
  void newCallsGoToWorkersOfTheOtherServer() throws Exception {
    Node client = node();
    FunctionClient invoker = FunctionClient.create(client.rdma);
    LeaseOptions one = new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20));
    try (ManagerProcess process = ManagerProcess.start(options())) {
      Lease stopped = await(invoker.lease(one)).getFirst();
      assertEquals(process.nodeId, stopped.nodeId());
      Node other = manager(new FunctionServerOptions().setCores(1));
      await(invoker.lease(new LeaseOptions(one).setNodeId(await(other.rdma.directory()).nodeId())));
      await(client.rdma.statistics(process.nodeId));
      process.signal("STOP");
      until("it is suspected", () -> client.rdma.isSuspected(process.nodeId));
      for (int i = 0; i < CALLS; i++) {
        assertEquals("call " + i, await(invoker.invoke("echo", Buffer.buffer("call " + i))).toString());
      }
      assertEquals(0, stopped.workers().stream().mapToInt(WorkerInfo::inFlight).sum());
      process.signal("CONT");
      until("it is not suspected any more", () -> !client.rdma.isSuspected(process.nodeId));
      assertTrue(stopped.isActive());
    }
    await(invoker.close());
  }
}
