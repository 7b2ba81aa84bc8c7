package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.provider.contract.Signals;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cold workers that start or end at an odd time: no core or process is left. */
@Timeout(300)
class ColdWorkerEndTest extends Nodes {
  private static final LeaseOptions COLD = new LeaseOptions().setMode(WorkerMode.COLD).setWaitTimeout(Duration.ofSeconds(60));
  /** Longer than any of these tests waits. */
  private static final String SLOW_START = "-Dcold.register.millis=240000";

  private Set<Long> before;

  @Override
  String fabric() {
    return "nio";
  }

  @BeforeEach
  void look() {
    before = children();
  }

  /** JVMs that this process has started, without other programs. */
  private static Set<Long> children() {
    return ProcessHandle.current().children().filter(child -> child.info().command().orElse("").endsWith("java"))
      .map(ProcessHandle::pid).collect(Collectors.toSet());
  }

  private Set<Long> workers() {
    Set<Long> now = children();
    now.removeAll(before);
    return now;
  }

  private Node cores(int cores, String... jvmOptions) throws Exception {
    List<String> all = new ArrayList<>(ColdWorkerTest.QUICK);
    all.addAll(List.of(jvmOptions));
    return manager(new FunctionServerOptions().setCores(cores).setColdWorkerRdma(options()).setColdJvmOptions(all));
  }

  private void untilNothingIsLeft(Node server, int cores) {
    until("no process is left", 60, () -> workers().isEmpty());
    until("all is free", 60, () -> server.manager.freeCores() == cores
      && server.manager.freeMemory() == FunctionServerOptions.DEFAULT_MEMORY);
  }

  private static FunctionClient invoker(Node node) {
    return FunctionClient.create(node.rdma, new FunctionClientOptions().setTimeout(Duration.ofMillis(0)));
  }

  @Test
  void workerIsStoppedWhenLeaseEndsDuringItsStart() throws Exception {
    workerIsStoppedWhenLeaseEndsDuringItsStart(1, 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 500, 2_000})
  @Tag("long")
  void startsThatEndAfterTheirLease(int millisAfter) throws Exception {
    workerIsStoppedWhenLeaseEndsDuringItsStart(2, millisAfter);
  }

  /** @param millisAfter time between the processes' start and the client's end; negative not to wait for their start */
  private void workerIsStoppedWhenLeaseEndsDuringItsStart(int count, int millisAfter) throws Exception {
    Node server = cores(count, SLOW_START);
    Node client = node();
    invoker(client).lease(new LeaseOptions(COLD).setWorkers(count));
    until("it is granted", () -> server.manager.freeCores() == 0);
    if (millisAfter >= 0) {
      until("the processes are there", 60, () -> workers().size() == count);
      TimeUnit.MILLISECONDS.sleep(millisAfter);
    }
    close(client);
    untilNothingIsLeft(server, count);
  }

  @Test
  @Tag("long")
  void workerIsStoppedWhenServerClosesDuringItsStart() throws Exception {
    Node server = cores(1, SLOW_START);
    Future<List<Lease>> leases = invoker(server).lease(new LeaseOptions(COLD).setWaitTimeout(Duration.ofMillis(1)));
    until("the process is there", 60, () -> workers().size() == 1);
    await(server.manager.close());
    assertFails(Reason.NO_CAPACITY, "", leases);
    until("no process is left", 60, () -> workers().isEmpty());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 10, 30, 100, 400})
  @Tag("long")
  void workerDiesWhileItsLeaseEnds(int millis) throws Exception {
    Node server = cores(1);
    FunctionClient invoker = invoker(node());
    Lease lease = await(invoker.lease(COLD), ColdWorkerTest.PATIENCE).getFirst();
    await(invoker.invoke("cold-echo", Buffer.buffer()));
    Future<Buffer> halting = invoker.invoke("halt-in", Buffer.buffer().appendInt(millis));
    Bill bill = await(lease.end());
    assertEquals(1, bill.workers());
    assertTrue(bill.allocationNanos() > 0, bill.toString());
    until("its call is over", () -> halting.isComplete());
    untilNothingIsLeft(server, 1);
    // The account of the next lease begins at zero.
    Lease next = await(invoker.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20)))).getFirst();
    assertEquals(0, await(next.bill()).invocations());
    await(invoker.close());
  }

  @Test
  @Tag("long")
  void oneOfTwoWorkersIsDeadBeforeTheLeaseEnds() throws Exception {
    Node server = cores(2);
    FunctionClient invoker = invoker(node());
    Lease lease = await(invoker.lease(new LeaseOptions(COLD).setWorkers(2)), ColdWorkerTest.PATIENCE).getFirst();
    ProcessHandle.of(workers().iterator().next()).orElseThrow().destroyForcibly();
    until("one is left", () -> lease.workers().size() == 1);
    assertEquals("x", await(invoker.invoke("cold-echo", Buffer.buffer("x"))).toString());
    until("the use of the process is on the bill", () -> ColdWorkerTest.invocations(lease) == 1);
    assertEquals(1, await(lease.end()).invocations());
    untilNothingIsLeft(server, 2);
  }

  /** The worker's blocked event loop does not stop, so the process is killed. */
  @Test
  @Tag("long")
  void workerHangsWhenItsLeaseEnds() throws Exception {
    Node server = cores(1);
    FunctionClient invoker = invoker(node());
    Lease lease = await(invoker.lease(COLD), ColdWorkerTest.PATIENCE).getFirst();
    Future<Buffer> call = invoker.invoke("for-ever-on-loop", Buffer.buffer());
    until("it is under way", () -> lease.workers().getFirst().inFlight() == 1);
    assertEquals(0, await(lease.bill()).invocations());
    assertEquals(1, await(server.manager.bills()).size());
    Bill bill = await(lease.end());
    assertTrue(bill.allocationNanos() > 0, bill.toString());
    assertFails(Reason.LEASE_ENDED, "may have run", call);
    untilNothingIsLeft(server, 1);
  }

  @Test
  @Tag("full")
  void callFailsWithTheReasonOfTheServer() throws Exception {
    Node server = cores(1);
    FunctionClient invoker = invoker(node());
    Lease lease = await(invoker.lease(COLD), ColdWorkerTest.PATIENCE).getFirst();
    Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
    until("it is under way", () -> lease.workers().getFirst().inFlight() == 1);
    await(server.manager.close());
    assertTrue(failure(call).getMessage().contains(" was closed"), failure(call).getMessage());
  }

  @Test
  @Tag("long")
  void workerIsStoppedWhenItsLeaseEnds() throws Exception {
    Node server = cores(1);
    FunctionClient invoker = invoker(node());
    Lease lease = await(invoker.lease(COLD), ColdWorkerTest.PATIENCE).getFirst();
    Signals.send(workers().iterator().next(), "STOP");
    assertEquals(1, await(lease.end()).workers());
    untilNothingIsLeft(server, 1);
  }
}
