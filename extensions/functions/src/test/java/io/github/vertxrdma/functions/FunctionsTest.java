package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;

@OverFabrics({"memory", "shm", "verbs:nic"})
@Timeout(120)
class FunctionsTest extends Nodes {
  private static final String VERBS = "verbs:";

  @Parameter
  private String fabric;

  /** Runs after the {@code @AfterEach} methods, which close the nodes. */
  @RegisterExtension
  final AfterEachCallback withdraw = context -> {
    if (fabric.startsWith(VERBS)) {
      Nic.withdraw();
    }
  };

  @Override
  String fabric() {
    return fabric;
  }

  @BeforeEach
  void provide() {
    if (fabric.startsWith(VERBS)) {
      assumeTrue(Nic.built().missing() == null, () -> Nic.built().missing());
      Nic.built().provide(fabric.substring(VERBS.length()));
    }
  }

  private static Buffer bytes(int seed, int size) {
    byte[] bytes = new byte[size];
    new Random(seed).nextBytes(bytes);
    return Buffer.buffer(bytes);
  }

  @Test
  void callsOfAllSizes() throws Exception {
    Node server = manager(new FunctionServerOptions().setCores(2));
    Node client = node();
    FunctionClient invoker = invoker(client, new LeaseOptions().setWorkers(2));
    Lease lease = invoker.leases().getFirst();
    assertEquals(fabric(), lease.workers().getFirst().fabric());

    assertEquals("hello", await(invoker.invoke("echo", Buffer.buffer("hello"))).toString());
    assertEquals("", await(invoker.invoke("echo", Buffer.buffer())).toString());
    List<Future<Buffer>> results = new ArrayList<>();
    List<Buffer> sent = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Buffer arguments = bytes(i, i % 50 == 49 ? 700_000 : (int) Math.pow(2, 17 * new Random(i).nextDouble()));
      sent.add(arguments);
      results.add(invoker.invoke("echo", arguments, CallOptions.DEFAULT.withMaxResult(arguments.length())));
    }
    for (int i = 0; i < results.size(); i++) {
      assertArrayEquals(sent.get(i).getBytes(), await(results.get(i)).getBytes(), "call " + i);
    }
    assertEquals("olleh", await(invoker.invoke("reverse", Buffer.buffer("hello"))).toString());

    List<Buffer> small = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      small.add(Buffer.buffer("call " + i));
    }
    List<Call> batch = invoker.callAll("echo", small, CallOptions.DEFAULT);
    for (int i = 0; i < small.size(); i++) {
      assertEquals(small.get(i), await(batch.get(i).result()));
    }

    assertFails(Reason.FUNCTION_FAILED, "not today", invoker.invoke("fail", Buffer.buffer("not today")));
    assertFails(Reason.UNKNOWN_FUNCTION, "'nothing'", invoker.invoke("nothing", Buffer.buffer()));
    assertFails(Reason.ARGUMENTS_TOO_LARGE, "1048577 bytes", invoker.invoke("echo", Buffer.buffer(new byte[(1 << 20) + 1])));
    assertFails(Reason.RESULT_TOO_LARGE, "1000000 bytes", invoker.invoke("zeros", Buffer.buffer().appendInt(1_000_000)));
    assertEquals(1_000_000, await(invoker.invoke("zeros", Buffer.buffer().appendInt(1_000_000),
      CallOptions.DEFAULT.withMaxResult(1_000_000))).length());

    Bill bill = await(lease.end());
    assertEquals(2, bill.workers());
    assertEquals(706, bill.invocations());
    assertTrue(bill.executionNanos() > 0 && bill.executionNanos() <= bill.allocationNanos(), bill.toString());
    assertFails(Reason.LEASE_ENDED, "the client ended it", invoker.invoke("echo", Buffer.buffer()));
    until("the workers are free",
      () -> server.manager.freeCores() == 2 && server.manager.freeMemory() == FunctionServerOptions.DEFAULT_MEMORY);
  }
}
