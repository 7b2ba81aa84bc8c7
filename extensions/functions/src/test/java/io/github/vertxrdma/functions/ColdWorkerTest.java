package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.functions.impl.ColdWorkerProcess;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.provider.contract.Signals;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class ColdWorkerTest extends Nodes {
  private static final LeaseOptions COLD = new LeaseOptions().setMode(WorkerMode.COLD).setWaitTimeout(Duration.ofSeconds(60));
  static final List<String> QUICK = List.of("-Xmx128m", "-XX:TieredStopAtLevel=1");
  /** Seconds that a JVM may take to start beside many others. */
  static final long PATIENCE = 150;
  /** Longer than any test waits. */
  private static final String SLOW_START = "-Dcold.register.millis=240000";

  private Set<Long> before;

  @Override
  String fabric() {
    return "nio";
  }

  @BeforeEach
  void look() {
    before = processes();
  }

  /** Finds the JVMs of workers. Before it runs a JVM, a new child has the command of this process, then that of a helper of the JDK. */
  private static Set<Long> processes() {
    return ProcessHandle.current().children().filter(each -> {
      try {
        return Files.readString(Path.of("/proc", Long.toString(each.pid()), "cmdline")).contains(ColdWorkerProcess.class.getName());
      } catch (IOException e) {
        return false; // It has ended.
      }
    }).map(ProcessHandle::pid).collect(Collectors.toSet());
  }

  /** Returns the processes that were started since the test began. */
  private List<ProcessHandle> workers() {
    Set<Long> now = processes();
    now.removeAll(before);
    return now.stream().flatMap(pid -> ProcessHandle.of(pid).stream()).toList();
  }

  private FunctionServerOptions cores(int cores, String... jvmOptions) {
    List<String> all = new ArrayList<>(QUICK);
    all.addAll(List.of(jvmOptions));
    return new FunctionServerOptions().setCores(cores).setColdWorkerRdma(options()).setColdJvmOptions(all);
  }

  private static FunctionClient invoker(Node node) {
    return FunctionClient.create(node.rdma, new FunctionClientOptions().setTimeout(Duration.ofMillis(0)));
  }

  private static FunctionClient lease(Node node) throws Exception {
    FunctionClient invoker = invoker(node);
    await(invoker.lease(COLD), PATIENCE);
    return invoker;
  }

  static ProcessHandle process(FunctionClient invoker) throws Exception {
    return ProcessHandle.of(await(invoker.invoke("pid", Buffer.buffer())).getLong(0)).orElseThrow();
  }

  /** Returns the calls on the present bill, which a process updates several times in a second. */
  static long invocations(Lease lease) {
    return lease.bill().toCompletionStage().toCompletableFuture().join().invocations();
  }

  static void untilGone(ProcessHandle process) {
    until("process " + process.pid() + " is gone", 60, () -> ChildJvm.hasEnded(process));
  }

  private static void untilFree(Node server, int cores) {
    until("all is free", 60, () -> server.manager.freeCores() == cores
      && server.manager.freeMemory() == FunctionServerOptions.DEFAULT_MEMORY);
  }

  private void untilNothingIsLeft(Node server, int cores) {
    until("no process is left", 60, () -> workers().isEmpty());
    untilFree(server, cores);
  }

  @Test
  void workerIsAProcessThatEndsWithItsLease() throws Exception {
    Node server = manager(cores(1));
    FunctionClient invoker = lease(node());
    Lease lease = invoker.leases().getFirst();
    assertEquals(WorkerMode.COLD, lease.workers().getFirst().mode());
    assertTrue(lease.startupTime().toMillis() > 0, "starting takes time");
    ProcessHandle process = process(invoker);
    assertNotEquals(ProcessHandle.current().pid(), process.pid());
    await(invoker.invoke("print", Buffer.buffer()));
    Buffer large = Buffer.buffer(new byte[100_000]);
    assertEquals(large, await(invoker.invoke("cold-echo", large, CallOptions.DEFAULT.withMaxResult(100_000))));
    assertFails(Reason.UNKNOWN_FUNCTION, "'echo'", invoker.invoke("echo", Buffer.buffer()));
    until("the use of the process is on the bill", () -> invocations(lease) == 3);
    RdmaException stranger = (RdmaException) assertThrows(ExecutionException.class,
      () -> await(server.rdma.connect(callers(server).getFirst()))).getCause();
    assertEquals(RdmaException.Reason.REJECTED, stranger.reason());
    assertTrue(stranger.getMessage().contains("only cold workers of current leases may connect here"), stranger.getMessage());
    Bill bill = await(lease.end());
    assertEquals(3, bill.invocations());
    untilGone(process);
    untilFree(server, 1);
    await(invoker.close());
    until("nobody waits for workers", () -> callers(server).isEmpty());
  }

  private static List<String> callers(Node node) {
    return node.rdma.directory().toCompletionStage().toCompletableFuture().join().services().stream().map(ServiceEntry::name)
      .filter(name -> name.startsWith("functions-caller/")).toList();
  }

  @Test
  @Tag("full")
  void callsFailWhenTheWorkerIsKilled() throws Exception {
    Node server = manager(cores(1));
    FunctionClient invoker = lease(node());
    ProcessHandle process = process(invoker);
    Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
    until("it is under way", () -> invoker.leases().getFirst().workers().getFirst().inFlight() == 1);
    process.destroyForcibly();
    assertFails(Reason.WORKER_LOST, "/process-", call);
    untilFree(server, 1);
  }

  @Test
  @Tag("long")
  void workerEndsWhenItsServerIsKilled() throws Exception {
    try (ManagerProcess manager = ManagerProcess.start(options(), false)) {
      FunctionClient invoker = lease(node());
      ProcessHandle process = process(invoker);
      Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
      manager.jvm.kill();
      untilGone(process);
      assertTrue(failure(call).reason() == Reason.WORKER_LOST || failure(call).reason() == Reason.LEASE_ENDED, failure(call).toString());
    }
  }

  @Test
  void startOfAKilledProcessNamesTheSignal() throws Exception {
    // The worker's JVM waits for a debugger.
    Node server = manager(cores(1).setColdJvmOptions(List.of("-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0")));
    FunctionClient invoker = FunctionClient.create(server.rdma);
    Future<?> lease = invoker.lease(new LeaseOptions(COLD).setWaitTimeout(Duration.ofMillis(1)));
    until("it has started", 60, () -> !workers().isEmpty());
    workers().forEach(ProcessHandle::destroyForcibly);
    assertFails(Reason.NO_CAPACITY, "did not start: it ended with status 137, by signal 9", lease);
    untilFree(server, 1);
  }

  @Test
  @Tag("full")
  void longStartIsLogged() throws Exception {
    try (LogLines log = new LogLines("io.github.vertxrdma.functions.impl.ColdWorker")) {
      // The worker's JVM waits for a debugger.
      manager(cores(1).setColdJvmOptions(List.of("-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0")));
      FunctionClient invoker = FunctionClient.create(node().rdma);
      invoker.lease(COLD);
      until("the wait is logged", 60, () -> log.lines().stream().anyMatch(line -> line.matches(
        "The start of worker process \\S+ has waited for it to connect for 5000 ms, and continues to wait")));
      await(invoker.close());
    }
  }

  /** A JVM prints such lines to the stream that workers once used for their answers. */
  @Test
  void linesOfTheJvmGoToTheLog() throws Exception {
    try (LogLines log = new LogLines("io.github.vertxrdma.functions.impl.ColdOutput")) {
      manager(cores(1).setColdJvmOptions(List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-Xlog:gc*", "-XX:+UseParallelGC")));
      FunctionClient invoker = lease(node());
      await(invoker.invoke("print", Buffer.buffer()));
      until("both lines are logged", 60, () -> log.lines().stream().anyMatch(line -> line.contains("Using Parallel"))
        && log.lines().stream().anyMatch(line -> line.endsWith(": {\"failed\": \"what a function prints is no answer\"}")));
      await(invoker.close());
    }
  }

  @Test
  @Tag("full")
  void processThatCannotStartIsStartedOnceAndItsOutputIsInTheFailure() throws Exception {
    try (LogLines log = new LogLines("io.github.vertxrdma.functions.impl.ColdOutput")) {
      Node server = manager(cores(1).setColdJvmOptions(List.of("-XX:+NoSuchFlagThatAnyJvmHas")));
      FunctionClient invoker = FunctionClient.create(server.rdma);
      String words = failure(invoker.lease(new LeaseOptions(COLD).setWaitTimeout(Duration.ofSeconds(10)))).getMessage();
      assertTrue(words.contains("does not start a worker process for 30000 ms, because the last one did not start: it ended with status 1"),
        words);
      assertTrue(words.contains("Unrecognized VM option 'NoSuchFlagThatAnyJvmHas'"), words);
      assertEquals(1, log.lines().stream().filter(line -> line.contains("Unrecognized VM option")).count(), log.lines().toString());
    }
  }

  @Test
  void classPathOfTheOptionsIsUsed() throws Exception {
    Node server = manager(cores(1).setColdClassPath(List.of(folder.toString())));
    FunctionClient invoker = FunctionClient.create(server.rdma);
    String words = failure(invoker.lease(new LeaseOptions(COLD).setWaitTimeout(Duration.ofMillis(1)))).getMessage();
    assertTrue(words.contains("Could not find or load main class io.github.vertxrdma.functions.impl.ColdWorkerProcess"), words);
    await(invoker.close());
    await(server.manager.close());
    manager(cores(1).setColdClassPath(List.of(System.getProperty("java.class.path").split(File.pathSeparator))));
    await(lease(node()).close());
  }

  @Test
  void serverWithoutColdOptionsRefusesColdLeases() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    Node client = node();
    assertFails(Reason.NO_CAPACITY,
      "the directory has 0 servers that start processes (FunctionServerOptions.setColdWorkerRdma) with 0 free workers",
      FunctionClient.create(client.rdma).lease(new LeaseOptions(COLD).setWaitTimeout(Duration.ofMillis(100))));
    RawCaller caller = RawCaller.connect(client.rdma);
    assertEquals("NO_CAPACITY", caller.lease(1, 1000, "COLD").getString("refused"));
  }

  @Test
  void requestWithAnotherNodesAddressIsRefused() throws Exception {
    Node server = manager(cores(1));
    JsonObject refused = RawCaller.connect(node().rdma).lease(1, 1000, "COLD", "somebody-else");
    assertEquals("PROTOCOL", refused.getString("refused"));
    assertTrue(refused.getString("words").contains("belongs to another node"), refused.encode());
    assertEquals(1, server.manager.freeCores());
  }

  @Test
  @Tag("long")
  void leaseFailsWithReasonWhenTheWorkerCannotReachItsCaller() throws Exception {
    Node server = manager(cores(1));
    RawCaller caller = RawCaller.connect(node().rdma);
    caller.patience = PATIENCE;
    JsonObject refused = caller.lease(1, 1000, "COLD");
    assertEquals("NO_CAPACITY", refused.getString("refused"));
    assertTrue(refused.getString("words").contains("no fabric reaches service 'nobody'"), refused.encode());
    untilFree(server, 1);
  }

  /** @param seen 0 if the lease ends before the start of the process, 1 after it, 2 when the process registers its functions */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void workerIsStoppedWhenLeaseEndsDuringItsStart(int seen) throws Exception {
    try (LogLines log = new LogLines("io.github.vertxrdma.functions.impl.ColdOutput")) {
      Node server = manager(cores(1, SLOW_START));
      Node client = node();
      invoker(client).lease(COLD);
      until("it is granted", () -> server.manager.freeCores() == 0);
      until("the process is there", 60, () -> seen == 0 || workers().size() == 1);
      until("it registers its functions", 60, () -> seen < 2 || log.lines().stream().anyMatch(line -> line.endsWith(ColdFunctions.SLOW)));
      close(client);
      untilNothingIsLeft(server, 1);
    }
  }

  @Test
  @Tag("long")
  void workerIsStoppedWhenServerClosesDuringItsStart() throws Exception {
    Node server = manager(cores(1, SLOW_START));
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
    Node server = manager(cores(1));
    FunctionClient invoker = lease(node());
    Lease lease = invoker.leases().getFirst();
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
    Node server = manager(cores(2));
    FunctionClient invoker = invoker(node());
    Lease lease = await(invoker.lease(new LeaseOptions(COLD).setWorkers(2)), PATIENCE).getFirst();
    workers().getFirst().destroyForcibly();
    until("one is left", () -> lease.workers().size() == 1);
    assertEquals("x", await(invoker.invoke("cold-echo", Buffer.buffer("x"))).toString());
    until("the use of the process is on the bill", () -> invocations(lease) == 1);
    assertEquals(1, await(lease.end()).invocations());
    untilNothingIsLeft(server, 2);
  }

  @Test
  @Tag("full")
  void callFailsWithTheReasonOfTheServer() throws Exception {
    Node server = manager(cores(1));
    FunctionClient invoker = lease(node());
    Lease lease = invoker.leases().getFirst();
    Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
    until("it is under way", () -> lease.workers().getFirst().inFlight() == 1);
    await(server.manager.close());
    assertTrue(failure(call).getMessage().contains(" was closed"), failure(call).getMessage());
  }

  /** The process does not read the end of its lease, so the server kills it. */
  @Test
  @Tag("long")
  void stoppedWorkerIsKilledWhenItsLeaseEnds() throws Exception {
    Node server = manager(cores(1));
    FunctionClient invoker = lease(node());
    Lease lease = invoker.leases().getFirst();
    Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
    until("it is under way", () -> lease.workers().getFirst().inFlight() == 1);
    Signals.send(workers().getFirst().pid(), "STOP");
    assertEquals(0, await(lease.bill()).invocations());
    assertEquals(1, await(server.manager.bills()).size());
    Bill bill = await(lease.end());
    assertEquals(1, bill.workers());
    assertTrue(bill.allocationNanos() > 0, bill.toString());
    assertFails(Reason.LEASE_ENDED, "may have run", call);
    untilNothingIsLeft(server, 1);
  }
}
