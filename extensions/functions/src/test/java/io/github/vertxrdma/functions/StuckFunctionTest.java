package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.metrics.MetricsOptions;
import io.vertx.core.spi.metrics.PoolMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class StuckFunctionTest extends Nodes {
  /** Tasks for the threads of functions that have not begun. */
  private final AtomicInteger queued = new AtomicInteger();
  private final CountDownLatch free = new CountDownLatch(1);
  private final AtomicInteger ran = new AtomicInteger();

  @Override
  Vertx vertx() {
    // Enough event loops that one can be blocked alone.
    return Vertx.builder().with(new VertxOptions().setEventLoopPoolSize(8).setMetricsOptions(new MetricsOptions().setEnabled(true)))
      .withMetrics(options -> new VertxMetrics() {
        @Override
        public PoolMetrics<?, ?> createPoolMetrics(String type, String name, int size) {
          return name.startsWith("vertx-rdma-function") ? new Queued() : null;
        }
      }).build();
  }

  private final class Queued implements PoolMetrics<Void, Void> {
    @Override
    public Void enqueue() {
      queued.incrementAndGet();
      return null;
    }

    @Override
    public void dequeue(Void task) {
      queued.decrementAndGet();
    }
  }

  @Override
  void register(FunctionRegistry registry) {
    super.register(registry);
    registry.register("stuck", invocation -> {
      begun.put("stuck", invocation);
      free.await();
      return Future.succeededFuture(Buffer.buffer());
    });
    registry.register("count", invocation -> Future.succeededFuture(Buffer.buffer().appendInt(ran.incrementAndGet())));
  }

  @Test
  void cancelledCallsBehindStuckFunctionAreForgotten() throws Exception {
    Node server = manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setSlots(8));
    Lease lease = invoker.leases().getFirst();
    Call stuck = invoker.call("stuck", Buffer.buffer(), CallOptions.DEFAULT);
    until("it runs", () -> begun.containsKey("stuck"));
    stuck.cancel();
    for (int i = 0; i < 300; i++) {
      Call call = invoker.call("count", Buffer.buffer(new byte[1000]), CallOptions.DEFAULT);
      until("it is under way", () -> lease.workers().getFirst().inFlight() == 1);
      call.cancel();
      until("it was answered", () -> lease.workers().getFirst().inFlight() == 0);
    }
    assertTrue(queued.get() <= 2, queued + " tasks wait for the thread");
    List<Future<Buffer>> calls = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      calls.add(invoker.invoke("count", Buffer.buffer()));
    }
    until("all are under way", () -> lease.workers().getFirst().inFlight() == 8);
    free.countDown();
    for (int i = 0; i < 8; i++) {
      assertEquals(i + 1, await(calls.get(i)).getInt(0));
    }
    await(lease.end());
    until("the worker is free", () -> server.manager.freeCores() == 1);
  }

  @Test
  void waitingCallsBehindStuckFunctionEndWithTheLease() throws Exception {
    Node server = manager(new FunctionServerOptions().setCores(1));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setSlots(8));
    Lease lease = invoker.leases().getFirst();
    Future<Buffer> stuck = invoker.invoke("stuck", Buffer.buffer());
    for (int i = 0; i < 7; i++) {
      invoker.invoke("count", Buffer.buffer());
    }
    until("all are under way", () -> begun.containsKey("stuck") && lease.workers().getFirst().inFlight() == 8);
    await(lease.end());
    assertFails(Reason.LEASE_ENDED, "may have run", stuck);
    assertEquals(0, server.manager.freeCores());
    free.countDown();
    until("the worker is free", () -> server.manager.freeCores() == 1);
    assertEquals(0, ran.get());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aServerThatClosesLeavesTheDirectoryBeforeItsWorkersStop(boolean withItsVerticle) throws Exception {
    Node server = node();
    server.manager = FunctionServer.create(server.rdma, new FunctionServerOptions().setCores(2).setLoadProviders(false));
    server.manager.register("block", ON_LOOP, invocation -> {
      begun.put("block", invocation);
      free.await();
      return Future.succeededFuture(Buffer.buffer());
    });
    String verticle = await(server.vertx.deployVerticle(context -> server.manager.listen()));
    Node client = node();
    FunctionClient invoker = invoker(client, new LeaseOptions());
    RdmaDirectory directory = await(client.rdma.directory());
    invoker.invoke("block", Buffer.buffer());
    until("it runs", () -> begun.containsKey("block"));
    try {
      Future<Void> closed = withItsVerticle ? server.vertx.undeploy(verticle) : server.manager.close();
      until("nobody finds the server", () -> directory.services().stream().noneMatch(e -> e.metadata().containsKey("functions")));
      assertFalse(closed.isComplete());
      free.countDown();
      await(closed);
    } finally {
      free.countDown();
    }
  }
}
