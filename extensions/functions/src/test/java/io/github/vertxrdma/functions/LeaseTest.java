package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LeaseTest extends Nodes {

  /** In fat jars the context class loader of a pool's threads may lack the application. */
  @Test
  void functionsAreFoundOnThreadsWhoseContextClassLoaderLacksThem() throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    for (ClassLoader loader : new ClassLoader[] {ClassLoader.getPlatformClassLoader(), null}) {
      Node server = node();
      thread.setContextClassLoader(loader);
      try {
        server.manager = FunctionServer.create(server.rdma, new FunctionServerOptions().setCores(1));
      } finally {
        thread.setContextClassLoader(before);
      }
      await(server.manager.listen());
      FunctionClient invoker = FunctionClient.create(node().rdma);
      await(invoker.lease(new LeaseOptions()));
      assertEquals(ProcessHandle.current().pid(), await(invoker.invoke("pid", Buffer.buffer())).getLong(0));
      await(invoker.close());
      await(server.manager.close());
    }
  }

  @Test
  void leaseExpires() throws Exception {
    Node server = manager(new FunctionServerOptions().setCores(1));
    ConcurrentLinkedQueue<Bill> bills = new ConcurrentLinkedQueue<>();
    server.manager.billHandler(bills::add);
    FunctionClient invoker = FunctionClient.create(node().rdma);
    long asked = System.nanoTime();
    Lease lease = await(invoker.lease(new LeaseOptions().setDuration(Duration.ofSeconds(2)))).getFirst();
    long took = System.nanoTime() - asked;
    Future<Buffer> held = invoker.invoke("hold", Buffer.buffer("expiring"));
    assertFails(Reason.LEASE_ENDED, "has ended", held);
    assertFalse(lease.isActive());
    assertEquals(Duration.ZERO, lease.remaining());
    Bill bill = await(lease.ended());
    assertTrue(bill.allocationNanos() >= 2_000_000_000L - took, bill.toString());
    // The client may be notified before the server's application gets the bill.
    until("the server's application has the bill", () -> !bills.isEmpty());
    assertEquals(List.of(bill), List.copyOf(bills));
    assertFails(Reason.LEASE_ENDED, "its duration expired", invoker.invoke("echo", Buffer.buffer()));
    until("the worker is free", () -> server.manager.freeCores() == 1);
  }

  @Test
  void leaseIsRenewed() throws Exception {
    manager(new FunctionServerOptions().setCores(1).setMaxLease(Duration.ofSeconds(60)));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setDuration(Duration.ofSeconds(20)));
    Lease lease = invoker.leases().getFirst();
    assertEquals(Duration.ofSeconds(60), await(lease.renew(Duration.ofHours(1))));
    assertTrue(lease.remaining().toMillis() > 20_000, "renewed");
    await(lease.end());
    assertFails(Reason.LEASE_ENDED, "the client ended it", lease.renew(Duration.ofSeconds(1)));
  }

  @Test
  void leaseIsRenewedAutomatically() throws Exception {
    manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setDuration(Duration.ofSeconds(6)).setAutoRenew(true));
    Lease lease = invoker.leases().getFirst();
    // 3 s are left for the renewal on a busy machine.
    long end = System.nanoTime() + 6_500_000_000L;
    until("its first time is over", () -> System.nanoTime() > end);
    assertTrue(lease.isActive());
    assertEquals("on", await(invoker.invoke("echo", Buffer.buffer("on"))).toString());
  }

  @Test
  void nothingIsGrantedTwice() throws Exception {
    List<Node> servers = List.of(manager(new FunctionServerOptions().setCores(4)), manager(new FunctionServerOptions().setCores(4)));
    Node node = node();
    Set<String> held = new HashSet<>();
    List<Future<Void>> clients = new ArrayList<>();
    for (int c = 0; c < 3; c++) {
      clients.add(takeAndGive(FunctionClient.create(node.rdma), held, 3));
    }
    await(Future.all(clients));
    assertEquals(Set.of(), held);
    servers.forEach(server -> until("all is free", () -> server.manager.freeCores() == 4
      && server.manager.freeMemory() == FunctionServerOptions.DEFAULT_MEMORY));
  }

  private static Future<Void> takeAndGive(FunctionClient invoker, Set<String> held, int times) {
    if (times == 0) {
      return Future.succeededFuture();
    }
    return invoker.lease(new LeaseOptions().setWorkers(2 + times % 3).setWaitTimeout(Duration.ofSeconds(60))).compose(leases -> {
      List<String> mine = leases.stream().flatMap(lease -> lease.workers().stream()).map(WorkerInfo::name).toList();
      synchronized (held) {
        for (String worker : mine) {
          if (!held.add(worker)) {
            return Future.failedFuture(worker + " was granted twice");
          }
        }
      }
      return invoker.invoke("echo", Buffer.buffer("x")).compose(echoed -> {
        synchronized (held) {
          held.removeAll(mine);
        }
        return Future.all(leases.stream().map(Lease::end).toList());
      });
    }).compose(v -> takeAndGive(invoker, held, times - 1));
  }

  @Test
  void leasesHaveNoMoreThanTheMemoryOfTheServer() throws Exception {
    Node server = manager(new FunctionServerOptions().setCores(3).setMemory(1 << 20));
    RawCaller caller = RawCaller.connect(node().rdma);
    caller.memory = 600_000;
    JsonObject lease = caller.lease(1, 60_000);
    JsonObject refused = caller.lease(1, 60_000);
    assertEquals("NO_CAPACITY", refused.getString("refused"));
    assertTrue(refused.getString("words").contains("2 of 3 cores and 448576 of 1048576 bytes free"), refused.encode());
    caller.granted = lease;
    caller.endLease();
    until("the memory is free", () -> server.manager.freeMemory() == 1 << 20);
    assertNull(caller.lease(1, 60_000).getString("refused"));
  }

  @Test
  void workersComeFromSeveralManagers() throws Exception {
    for (int i = 0; i < 3; i++) {
      manager(new FunctionServerOptions().setCores(2));
    }
    Node client = node();
    FunctionClient invoker = FunctionClient.create(client.rdma);
    RdmaDirectory directory = await(client.rdma.directory());
    until("all servers are known", () -> directory.services().stream()
      .filter(e -> e.metadata().containsKey("functions")).count() == 3);
    List<Lease> leases = await(invoker.lease(new LeaseOptions().setWorkers(5)));
    assertEquals(3, leases.size());
    assertEquals(5, leases.stream().mapToInt(lease -> lease.workers().size()).sum());
    until("the directory tells of the worker that is left", () -> directory.services().stream()
      .mapToInt(e -> e.metadata().getInteger("freeCores", 0)).sum() == 1);
    assertFails(Reason.NO_CAPACITY, "1 of 2 workers were not found", invoker.lease(new LeaseOptions().setWorkers(2)
      .setWaitTimeout(Duration.ofMillis(200))));
    assertFails(Reason.NO_CAPACITY, "servers 'others'", invoker.lease(new LeaseOptions().setService("others")
      .setWaitTimeout(Duration.ofMillis(100))));
  }

  @Test
  void leaseEndsWhenTheClientDies() throws Exception {
    Node server = manager(new FunctionServerOptions().setCores(2));
    Node client = node();
    FunctionClient invoker = invoker(client, new LeaseOptions().setWorkers(2));
    invoker.invoke("hold", Buffer.buffer("client"));
    until("it runs", () -> begun.containsKey("client"));
    close(client);
    until("the call is cancelled", () -> begun.get("client").isCancelled());
    until("the workers are free", () -> server.manager.freeCores() == 2);
    assertEquals(FunctionServerOptions.DEFAULT_MEMORY, server.manager.freeMemory());
  }

  @Test
  void throwingBillHandlerHasNoEffect() throws Exception {
    Node server = manager(new FunctionServerOptions().setCores(1));
    server.manager.billHandler(bill -> {
      throw new IllegalStateException("the printer is out of paper");
    });
    FunctionClient invoker = invoker(node(), new LeaseOptions());
    assertEquals(1, await(invoker.leases().getFirst().end()).workers());
    until("all is free", () -> server.manager.freeCores() == 1 && server.manager.freeMemory() == FunctionServerOptions.DEFAULT_MEMORY);
  }

  @Test
  void closeOfAServerIsIdempotent() throws Exception {
    Node server = manager(new FunctionServerOptions().setCores(2));
    await(Future.all(server.manager.close(), server.manager.close()));
    await(server.manager.close());
  }

  @Test
  void closedServerFailsItsCalls() throws Exception {
    Node server = manager(new FunctionServerOptions().setCores(2));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setWorkers(2));
    Future<Buffer> first = invoker.invoke("never", Buffer.buffer("first"));
    Future<Buffer> second = invoker.invoke("hold", Buffer.buffer("second"));
    until("both run", () -> begun.containsKey("first") && begun.containsKey("second"));
    await(server.manager.close());
    assertFails(Reason.LEASE_ENDED, "its server was closed", first);
    assertFails(Reason.LEASE_ENDED, "its server was closed", second);
    assertTrue(begun.get("first").isCancelled());
    assertEquals(0, invoker.leases().size());
  }
}
