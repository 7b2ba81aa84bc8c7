package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers that are processes: started for a lease, and gone with it, with their manager, or when they are killed. */
@Timeout(180)
class ColdWorkerTest extends Nodes {
  private static final LeaseOptions COLD = new LeaseOptions().setMode(WorkerMode.COLD).setWaitMillis(60_000);
  private String fabric = "nio";

  @Override
  String fabric() {
    return fabric;
  }

  private ManagerOptions cores(int cores) {
    return new ManagerOptions().setCores(cores).setColdWorkers(options()).setColdJvmOptions(List.of("-Xmx128m"));
  }

  private static ProcessHandle process(Invoker invoker) throws Exception {
    return ProcessHandle.of(await(invoker.invoke("pid", Buffer.buffer())).getLong(0)).orElseThrow();
  }

  private static void untilGone(ProcessHandle process) {
    until("process " + process.pid() + " is gone", () -> !process.isAlive());
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "shm"})
  void itIsAProcessOfItsOwnAndGoneWithItsLease(String over) throws Exception {
    fabric = over;
    Node server = manager(cores(1));
    Invoker invoker = invoker(node(), COLD);
    Lease lease = invoker.leases().getFirst();
    assertEquals(WorkerMode.COLD, lease.workers().getFirst().mode());
    assertTrue(lease.startMillis() > 0, "starting takes time");
    ProcessHandle process = process(invoker);
    assertNotEquals(ProcessHandle.current().pid(), process.pid());
    await(invoker.invoke("print", Buffer.buffer()));
    Buffer large = Buffer.buffer(new byte[100_000]);
    assertEquals(large, await(invoker.invoke("cold-echo", large, CallOptions.DEFAULT.withMaxResult(100_000))));
    // Functions of the manager's own are not in the process.
    assertFails(Reason.UNKNOWN_FUNCTION, "'echo'", invoker.invoke("echo", Buffer.buffer()));
    assertTrue(await(lease.bill()).invocations() > 0, "its time is accounted");
    Bill bill = await(lease.end());
    assertEquals(3, bill.invocations());
    untilGone(process);
    until("its core is free", () -> server.manager.freeCores() == 1 && server.manager.freeMemory() == ManagerOptions.DEFAULT_MEMORY);
  }

  @Test
  void aFunctionThatNeverReturnsEndsWithTheLease() throws Exception {
    Node server = manager(cores(1));
    Invoker invoker = invoker(node(), COLD);
    ProcessHandle process = process(invoker);
    Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
    await(invoker.leases().getFirst().end());
    assertFails(Reason.LEASE_ENDED, "may have run", call);
    untilGone(process);
    until("its core is free", () -> server.manager.freeCores() == 1);
  }

  @Test
  void oneThatIsKilledFailsItsCalls() throws Exception {
    Node server = manager(cores(1));
    Invoker invoker = invoker(node(), COLD);
    ProcessHandle process = process(invoker);
    Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
    process.destroyForcibly();
    assertFails(Reason.WORKER_LOST, "/process-", call);
    until("its core is free", () -> server.manager.freeCores() == 1);
  }

  @Test
  void itDoesNotOutliveAManagerThatIsKilled() throws Exception {
    try (ManagerProcess manager = ManagerProcess.start(options())) {
      Invoker invoker = invoker(node(), COLD);
      ProcessHandle process = process(invoker);
      Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
      manager.kill();
      untilGone(process);
      assertTrue(failure(call).reason() == Reason.WORKER_LOST || failure(call).reason() == Reason.LEASE_ENDED, failure(call).toString());
    }
  }

  @Test
  void oneThatDoesNotStartIsSaidSo() throws Exception {
    Node server = manager(cores(1).setColdJvmOptions(List.of("-XX:+NoSuchFlagThatAnyJvmHas")));
    Invoker invoker = Invoker.create(server.vertx, server.rdma);
    assertFails(Reason.NO_CAPACITY, "did not start: it ended with status", invoker.lease(new LeaseOptions(COLD).setWaitMillis(1)));
    until("its core is free", () -> server.manager.freeCores() == 1);
  }

  @Test
  void withoutLeaveThereAreNone() throws Exception {
    manager(new ManagerOptions().setCores(1));
    Node client = node();
    assertFails(Reason.NO_CAPACITY, "managers that start processes",
      Invoker.create(client.vertx, client.rdma).lease(new LeaseOptions(COLD).setWaitMillis(100)));
    RawCaller caller = RawCaller.connect(client.rdma);
    assertEquals("NO_CAPACITY", caller.lease(1, 1000, "COLD").getString("refused"));
  }
}
