package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.fi.FiStandIn;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Functions of another process, over a provider of libfabric that behaves like that of EFA. */
@Timeout(120)
@Tag("full")
class AdapterFunctionsTest extends Nodes {
  /** Runs after the {@code @AfterEach} methods, which close the nodes. */
  @RegisterExtension
  final AfterEachCallback withdraw = context -> FiStandIn.withdraw();

  @Override
  String fabric() {
    return FiStandIn.EFA;
  }

  @BeforeEach
  void provide() {
    FiStandIn standIn = FiStandIn.built();
    assumeTrue(standIn.missing() == null, standIn::missing);
    standIn.provide();
  }

  @Test
  void functionsOfAnotherProcessReturnResultsOfAllSizes() throws Exception {
    FunctionClient client = FunctionClient.create(node().rdma);
    try (ManagerProcess server = ManagerProcess.start(options(), false, FiStandIn.built().environment())) {
      Lease lease = await(client.lease(new LeaseOptions().setWorkers(2).setWaitTimeout(Duration.ofSeconds(60)))).getFirst();
      assertEquals(server.nodeId, lease.nodeId());
      for (int size : new int[] {0, 100, 20_000, 1_000_000}) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        assertEquals(Buffer.buffer(bytes), await(client.invoke("echo", Buffer.buffer(bytes))));
      }
    }
    await(client.close());
  }
}
