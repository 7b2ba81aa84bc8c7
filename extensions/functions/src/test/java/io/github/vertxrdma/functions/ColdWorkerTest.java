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
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ColdWorkerTest extends Nodes {
  private static final LeaseOptions COLD = new LeaseOptions().setMode(WorkerMode.COLD).setWaitTimeout(Duration.ofSeconds(60));
  static final List<String> QUICK = List.of("-Xmx128m", "-XX:TieredStopAtLevel=1");
  /** Seconds that a JVM may take to start beside many others. */
  static final long PATIENCE = 150;
  private String fabric = "nio";

  @Override
  String fabric() {
    return fabric;
  }

  private FunctionServerOptions cores(int cores) {
    return new FunctionServerOptions().setCores(cores).setColdWorkerRdma(options()).setColdJvmOptions(QUICK);
  }

  private static FunctionClient lease(Node node) throws Exception {
    FunctionClient invoker = FunctionClient.create(node.rdma, new FunctionClientOptions().setTimeout(Duration.ofMillis(0)));
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

  @Test
  @Tag("long")
  void overSharedMemory() throws Exception {
    fabric = "shm";
    workerIsAProcessThatEndsWithItsLease();
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
    until("its core is free", 60,
      () -> server.manager.freeCores() == 1 && server.manager.freeMemory() == FunctionServerOptions.DEFAULT_MEMORY);
    await(invoker.close());
    until("nobody waits for workers", () -> callers(server).isEmpty());
  }

  private static List<String> callers(Node node) {
    return node.rdma.directory().toCompletionStage().toCompletableFuture().join().services().stream().map(ServiceEntry::name)
      .filter(name -> name.startsWith("functions-caller/")).toList();
  }

  @Test
  @Tag("long")
  void aFunctionThatNeverReturnsEndsWithTheLease() throws Exception {
    Node server = manager(cores(1));
    FunctionClient invoker = lease(node());
    ProcessHandle process = process(invoker);
    Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
    await(invoker.leases().getFirst().end());
    assertFails(Reason.LEASE_ENDED, "may have run", call);
    untilGone(process);
    until("its core is free", 60, () -> server.manager.freeCores() == 1);
  }

  @Test
  @Tag("long")
  void callsFailWhenTheWorkerIsKilled() throws Exception {
    Node server = manager(cores(1));
    FunctionClient invoker = lease(node());
    ProcessHandle process = process(invoker);
    Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
    until("it is under way", () -> invoker.leases().getFirst().workers().getFirst().inFlight() == 1);
    process.destroyForcibly();
    assertFails(Reason.WORKER_LOST, "/process-", call);
    until("its core is free", 60, () -> server.manager.freeCores() == 1);
  }

  @Test
  @Tag("long")
  void workerEndsWhenItsServerIsKilled() throws Exception {
    try (ManagerProcess manager = ManagerProcess.start(options())) {
      FunctionClient invoker = lease(node());
      ProcessHandle process = process(invoker);
      Future<Buffer> call = invoker.invoke("for-ever", Buffer.buffer());
      manager.kill();
      untilGone(process);
      assertTrue(failure(call).reason() == Reason.WORKER_LOST || failure(call).reason() == Reason.LEASE_ENDED, failure(call).toString());
    }
  }

  @Test
  void leaseFailsWithReasonWhenTheWorkerDoesNotStart() throws Exception {
    Node server = manager(cores(1).setColdJvmOptions(List.of("-XX:+NoSuchFlagThatAnyJvmHas")));
    FunctionClient invoker = FunctionClient.create(server.rdma);
    assertFails(Reason.NO_CAPACITY, "did not start: it ended with status", invoker.lease(new LeaseOptions(COLD)
      .setWaitTimeout(Duration.ofMillis(1))));
    until("its core is free", 60, () -> server.manager.freeCores() == 1);
  }

  /** Finds the JVMs of workers. Before it runs a JVM, a new child has the command of this process, then that of a helper of the JDK. */
  private static Set<ProcessHandle> workers() {
    return ProcessHandle.current().children().filter(each -> {
      try {
        return Files.readString(Path.of("/proc", Long.toString(each.pid()), "cmdline")).contains(ColdWorkerProcess.class.getName());
      } catch (IOException e) {
        return false; // It has ended.
      }
    }).collect(Collectors.toSet());
  }

  @Test
  void startOfAKilledProcessNamesTheSignal() throws Exception {
    // The worker's JVM waits for a debugger.
    Node server = manager(cores(1).setColdJvmOptions(List.of("-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0")));
    FunctionClient invoker = FunctionClient.create(server.rdma);
    Set<ProcessHandle> before = workers();
    Future<?> lease = invoker.lease(new LeaseOptions(COLD).setWaitTimeout(Duration.ofMillis(1)));
    until("it has started", 60, () -> !before.containsAll(workers()));
    workers().stream().filter(each -> !before.contains(each)).forEach(ProcessHandle::destroyForcibly);
    assertFails(Reason.NO_CAPACITY, "did not start: it ended with status 137, by signal 9", lease);
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
    until("its core is free", 60, () -> server.manager.freeCores() == 1);
  }
}
