package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FaultyDirectoryTest extends Nodes {
  private static final Exception FULL = new Exception("the directory is full");

  private final Vertx vertx = Vertx.vertx();
  private DirectoryBackend real;
  private Rdma rdma;
  private volatile Predicate<ServiceEntry> refused = entry -> false;
  private Predicate<String> hidden = name -> false;
  private volatile RuntimeException broken;

  @BeforeEach
  void start() throws Exception {
    real = await(DirectoryBackend.open(vertx, options().getDirectory()));
    DirectoryBackend faulty = (DirectoryBackend) Proxy.newProxyInstance(getClass().getClassLoader(),
      new Class<?>[] {DirectoryBackend.class},
      (proxy, method, arguments) -> {
        if (method.getName().equals("publish") && arguments[0] instanceof ServiceEntry entry && refused.test(entry)) {
          return Future.failedFuture(FULL);
        }
        if (method.getName().equals("services") && arguments != null && hidden.test((String) arguments[0])) {
          return List.of();
        }
        if (method.getName().equals("services") && arguments == null && broken != null) {
          throw broken;
        }
        try {
          return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
          throw e.getCause();
        }
      });
    rdma = Rdma.create(vertx, options(), faulty);
  }

  @AfterEach
  void stop() throws Exception {
    await(vertx.close());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/worker-1"})
  void aManagerThatDoesNotStartLeavesNothing(String refusedName) throws Exception {
    refused = entry -> refusedName.isEmpty() ? entry.metadata().containsKey("functions") : entry.name().endsWith(refusedName);
    FunctionServer manager = FunctionServer.create(rdma, new FunctionServerOptions().setCores(2).setLoadProviders(false));
    Future<?> started = manager.listen();
    assertSame(FULL, assertThrows(ExecutionException.class, () -> await(started)).getCause());
    assertEquals(List.of(), real.regions());
    assertEquals(List.of(), real.services().stream().map(ServiceEntry::name).filter(name -> name.startsWith("functions")).toList());
    await(manager.close());
  }

  /** The directory refuses entries for a time, as on a full disk. */
  @Test
  void workerIsLeasedAgainAfterTheDirectoryRefusedItsEntry() throws Exception {
    FunctionServer manager = FunctionServer.create(rdma, new FunctionServerOptions().setCores(1).setLoadProviders(false));
    await(manager.listen());
    FunctionClient invoker = FunctionClient.create(rdma);
    LeaseOptions lease = new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20));
    Lease first = await(invoker.lease(lease)).getFirst();
    until("the directory says that nothing is free", () -> real.services().stream()
      .anyMatch(entry -> Integer.valueOf(0).equals(entry.metadata().getInteger("freeCores"))));
    CountDownLatch told = new CountDownLatch(1);
    refused = entry -> {
      told.countDown();
      return true;
    };
    await(first.end());
    assertTrue(told.await(20, TimeUnit.SECONDS));
    refused = entry -> false;
    await(invoker.lease(lease));
    await(manager.close());
  }

  @Test
  void pausesGrowWhileOfferIsRefused() throws Exception {
    FunctionServer server = FunctionServer.create(rdma, new FunctionServerOptions().setCores(1).setLoadProviders(false));
    await(server.listen());
    FunctionClient client = FunctionClient.create(rdma);
    List<Long> attempts = new CopyOnWriteArrayList<>();
    refused = entry -> {
      attempts.add(System.nanoTime());
      return true;
    };
    await(client.lease(new LeaseOptions()));
    until("four attempts have failed", () -> attempts.size() >= 4);
    long pause = TimeUnit.NANOSECONDS.toMillis(attempts.get(3) - attempts.get(2));
    assertTrue(pause >= 640, "the third pause is " + pause + " ms");
    refused = entry -> false;
    await(server.close());
  }

  @Test
  void searchFailsWhenItCannotContinue() throws Exception {
    FunctionClient invoker = FunctionClient.create(rdma);
    Future<List<Lease>> leases = invoker.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(40)));
    broken = new IllegalStateException("the directory is broken");
    assertFails(Reason.NO_CAPACITY, "the directory is broken", leases);
    broken = null;
  }

  @Test
  void coldWorkersDoNotWaitForAnUnknownCaller() throws Exception {
    manager(new FunctionServerOptions().setCores(1).setColdWorkerRdma(options()));
    until("the server is known", () -> real.services().stream().anyMatch(entry -> entry.metadata().containsKey("functions")));
    hidden = name -> name.startsWith("functions-caller/");
    FunctionClient invoker = FunctionClient.create(rdma);
    assertFails(Reason.NO_CAPACITY, "is not in the directory",
      invoker.lease(new LeaseOptions().setMode(WorkerMode.COLD).setWaitTimeout(Duration.ofMillis(1))));
  }
}
