package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class KeptWorkersTest extends Nodes {
  private static final CallOptions PATIENT = CallOptions.DEFAULT.withTimeout(Duration.ofSeconds(60));

  private static LeaseOptions keep(int workers) {
    return new LeaseOptions().setWorkers(workers).setKeep(true).setWaitTimeout(Duration.ofSeconds(20));
  }

  private static void echoes(FunctionClient client) throws Exception {
    assertEquals("on", await(client.invoke("echo", Buffer.buffer("on"), PATIENT)).toString());
  }

  private static int workers(FunctionClient client) {
    return client.leases().stream().mapToInt(lease -> lease.workers().size()).sum();
  }

  private Node oneWorker() throws Exception {
    return manager(new FunctionServerOptions().setCores(1));
  }

  @Test
  void poolHasAllWorkersAfterRollingRestartOfServers() throws Exception {
    Node[] servers = {oneWorker(), oneWorker()};
    FunctionClient client = invoker(node(), keep(2));
    for (int i = 0; i < servers.length; i++) {
      close(servers[i]);
      until("the client has noticed the end", () -> workers(client) == 1);
      echoes(client);
      servers[i] = oneWorker();
      until("the client has two workers again", () -> workers(client) == 2);
      echoes(client);
    }
  }

  @Test
  void callsWaitWhileNoServerIsThere() throws Exception {
    Node server = oneWorker();
    FunctionClient client = invoker(node(), keep(1));
    close(server);
    until("the client has noticed the end", () -> client.leases().isEmpty());
    Future<Buffer> call = client.invoke("echo", Buffer.buffer("late"), PATIENT);
    oneWorker();
    assertEquals("late", await(call).toString());
  }

  @Test
  void callOfIdempotentFunctionIsRepeatedOnReplacement() throws Exception {
    Node server = oneWorker();
    FunctionClient client = invoker(node(), keep(1));
    Future<Buffer> call = client.invoke("hold-idempotent", Buffer.buffer("kept"), PATIENT);
    until("it runs", () -> begun.containsKey("kept"));
    close(server);
    begun.clear();
    oneWorker();
    until("it runs again", () -> begun.containsKey("kept"));
    letGo("kept");
    assertEquals("let go", await(call).toString());
  }

  @Test
  void callsThatHaveNotBegunAreRepeatedWhenTheirServerCloses() throws Exception {
    Node server = oneWorker();
    FunctionClient client = invoker(node(), keep(1));
    List<Future<Buffer>> calls = IntStream.range(0, 8).mapToObj(i -> client.invoke("hold", Buffer.buffer("call " + i), PATIENT)).toList();
    until("the first runs", () -> begun.containsKey("call 0"));
    IntStream.range(1, 8).forEach(i -> letGo("call " + i));
    Future<Void> closed = server.manager.close();
    oneWorker();
    for (Future<Buffer> call : calls.subList(1, 8)) {
      assertEquals("let go", await(call).toString());
    }
    FunctionException first = failure(calls.getFirst());
    assertTrue(first.getMessage().contains("may have run"), first.getMessage());
    await(closed);
  }

  /** Calls are on their way at the moment of the close. Those that fail have begun. */
  @Test
  void onlyCallsThatHaveBegunFailWhenTheirServerCloses() throws Exception {
    Node near = node();
    FunctionServer server = oneWorker().manager;
    FunctionClient client = invoker(near, keep(1));
    for (int round = 0; round < 10; round++) {
      List<String> names = new ArrayList<>();
      List<Future<Buffer>> calls = new ArrayList<>();
      Future<Void> closed = null;
      for (int i = 0; i < 40; i++) {
        String name = "call " + i + " of round " + round;
        names.add(name);
        letGo(name);
        calls.add(client.invoke("hold", Buffer.buffer(name), PATIENT));
        closed = i == 20 ? server.close() : closed;
      }
      server = oneWorker().manager;
      for (int i = 0; i < 40; i++) {
        try {
          assertEquals("let go", await(calls.get(i)).toString());
        } catch (ExecutionException e) {
          assertTrue(begun.containsKey(names.get(i)), e.getMessage());
        }
      }
      await(closed);
    }
  }

  @Test
  void workersComeEvenlyAndEachHasItsLease() throws Exception {
    Node[] servers = {manager(new FunctionServerOptions().setCores(2)), manager(new FunctionServerOptions().setCores(2))};
    Node near = node();
    var directory = await(near.rdma.directory());
    until("both servers are known",
      () -> directory.services().stream().filter(e -> e.metadata().containsKey("functions")).count() == 2);
    FunctionClient client = invoker(near, keep(2));
    assertEquals(2, client.leases().size());
    for (Node server : servers) {
      until("one of its workers is leased", () -> server.manager.freeCores() == 1);
    }
  }

  @Test
  void leaseEndedByThisSideIsNotReplaced() throws Exception {
    Node server = manager(new FunctionServerOptions().setCores(2));
    FunctionClient client = invoker(node(), keep(2));
    await(client.leases().getFirst().end());
    until("its worker is free", () -> server.manager.freeCores() == 1);
    Lease last = client.leases().getFirst();
    await(last.end());
    until("all workers are free", () -> server.manager.freeCores() == 2);
    assertEquals(List.of(), client.leases());
    assertFails(FunctionException.Reason.LEASE_ENDED, "no lease any more", client.invoke("echo", Buffer.buffer()));
  }

  @Test
  void workerLostAloneIsReplacedAndGivenBack() throws Exception {
    Node far = node();
    RawWorker worker = RawWorker.listen(far.rdma, "fragile/worker");
    RawManager manager = RawManager.listen(far.rdma, "fragile", 1);
    Node near = node();
    FunctionClient client = FunctionClient.create(near.rdma);
    Future<List<Lease>> leases = client.lease(keep(1));
    manager.asked("lease").grant("echo", "fragile/worker");
    Lease first = await(leases).getFirst();
    worker.cut();
    manager.askedAtLast("end");
    until("the lease has ended here too", () -> !first.isActive());
    manager.askedAtLast("lease").grant("echo", "fragile/worker");
    until("the replacement is leased", () -> workers(client) == 1);
  }

  @Test
  void pausesGrowWhileLostWorkerCannotBeReplaced() throws Exception {
    Node far = node();
    RawWorker worker = RawWorker.listen(far.rdma, "fragile/worker");
    RawManager manager = RawManager.listen(far.rdma, "fragile", 1);
    Node near = node();
    await(await(near.rdma.directory()).awaitServices("fragile", Duration.ofSeconds(20)));
    FunctionClient client = FunctionClient.create(near.rdma);
    Future<List<Lease>> leases = client.lease(keep(1).setWaitTimeout(Duration.ZERO));
    manager.asked("lease").grant("echo", "fragile/worker");
    await(leases);
    worker.cut();
    RawManager.Asked asked = manager.askedAtLast("lease");
    long pause = 0;
    for (int i = 0; i < 2; i++) {
      long refused = System.nanoTime();
      asked.refuse("others came first");
      asked = manager.askedAtLast("lease");
      pause = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - refused);
    }
    assertTrue(pause >= 1_600, "the second pause is " + pause + " ms");
    asked.grant("echo", "fragile/worker");
    until("the replacement is leased", () -> workers(client) == 1);
  }

  @Test
  void leaseHandlerIsCalledForEachBeginAndEnd() throws Exception {
    Node server = oneWorker();
    Node near = node();
    FunctionClient client = FunctionClient.create(near.rdma);
    List<String> events = new CopyOnWriteArrayList<>();
    Promise<Throwable> ended = Promise.promise();
    client.leaseHandler(lease -> {
      events.add(lease.isActive() ? "begin" : "end");
      if (!lease.isActive()) {
        lease.ended().onComplete(done -> ended.tryComplete(done.cause()));
      }
    });
    await(client.lease(keep(1)));
    until("it is told of the lease", () -> events.equals(List.of("begin")));
    close(server);
    until("it is told of the end", () -> events.equals(List.of("begin", "end")));
    await(ended.future());
    oneWorker();
    until("it is told of the replacement", () -> events.equals(List.of("begin", "end", "begin")));
  }

  @Test
  void closeEndsTheSearchForReplacement() throws Exception {
    Node server = oneWorker();
    FunctionClient client = invoker(node(), keep(1));
    close(server);
    until("the client has noticed the end", () -> client.leases().isEmpty());
    Future<Buffer> call = client.invoke("echo", Buffer.buffer(), PATIENT);
    await(client.close());
    assertFails(FunctionException.Reason.CLOSED, "closed", call);
    Node later = oneWorker();
    assertEquals(1, later.manager.freeCores());
    assertTrue(client.leases().isEmpty());
  }
}
