package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls with random times, cancellations and dying workers: every future completes once, with its own result, and nothing is left. */
class RandomCallsTest extends Nodes {
  private static final int MANAGERS = 3;
  private static final int WINDOW = 64;
  private static final int FAULT_SEED = Integer.getInteger("vertx.rdma.random.faults", 17);
  /** One of this number of requests of a device fails. */
  private static final int FAULTY = 1_000;

  private final Map<Reason, AtomicInteger> failures = new EnumMap<>(Reason.class);
  private final AtomicInteger succeeded = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final Promise<Void> over = Promise.promise();
  private final AtomicBoolean stopping = new AtomicBoolean();
  /** The memory fabric by default, because its open objects can be counted. */
  private String fabric = System.getProperty("vertx.rdma.random.fabric", "memory");
  private Runnable faults = () -> {};
  private Node client;
  private FunctionClient invoker;
  private Random random;
  private Map<String, Long> before;
  private int begunCalls;
  private int total;

  @Test
  @Tag("full")
  @Timeout(120)
  void someCalls() throws Exception {
    run(20_000, 2_000, 4711);
  }

  @Test
  @Tag("long")
  @Timeout(3600)
  void aMillionCalls() throws Exception {
    run(1_000_000, 5_000, System.nanoTime());
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "tcp"})
  @Tag("long")
  @Timeout(1200)
  void whileProcessesAreKilled(String over) throws Exception {
    fabric = over;
    List<Life> all = new ArrayList<>();
    try {
      run(20_000, 2_000, System.nanoTime(), () -> {
        ManagerProcess process = ManagerProcess.start(options(), true);
        all.add(() -> {
          process.close();
          return Future.succeededFuture();
        });
        return all.getLast();
      });
    } finally {
      all.forEach(Life::end);
    }
  }

  @ParameterizedTest
  @MethodSource("io.github.vertxrdma.nic.Nic#personalities")
  @Tag("full")
  @Timeout(300)
  void onADeviceThatFails(String personality) throws Exception {
    assumeTrue(Nic.built().missing() == null, Nic.built().missing());
    Nic.built().provide(personality);
    try {
      fabric = "verbs:" + personality;
      faults = () -> Nic.built().failAtRandom(FAULT_SEED, FAULTY);
      run(2_000, 1_000, 4711);
    } finally {
      Nic.built().failAtRandom(0, 0);
      Nic.withdraw();
    }
  }

  @Override
  String fabric() {
    return fabric;
  }

  @Override
  void register(FunctionRegistry registry) {
    functions(registry);
  }

  static void functions(FunctionRegistry registry) {
    FunctionOptions onLoop = new FunctionOptions(ON_LOOP).setIdempotent(true);
    registry.register("echo", onLoop, RemoteFunction.of(arguments -> arguments));
    registry.register("echo-own-thread", IDEMPOTENT, RemoteFunction.of(arguments -> arguments));
    registry.register("echo-once", ON_LOOP, RemoteFunction.of(arguments -> arguments));
    registry.register("late", onLoop, invocation -> {
      Promise<Buffer> promise = Promise.promise();
      Vertx.currentContext().owner().setTimer(1 + (invocation.id() & 7), t -> promise.complete(invocation.arguments()));
      return promise.future();
    });
    // Otherwise it would keep its worker after the lease.
    registry.register("never", ON_LOOP, invocation -> {
      Promise<Buffer> promise = Promise.promise();
      invocation.cancelHandler(v -> promise.complete(Buffer.buffer()));
      return promise.future();
    });
    registry.register("fail", onLoop, RemoteFunction.of(words -> {
      throw new IllegalStateException("as it should");
    }));
  }

  private interface Life {
    Future<Void> end();
  }

  private void run(int calls, int callsPerLife, long seed) throws Exception {
    Deque<Node> living = new ArrayDeque<>();
    run(calls, callsPerLife, seed, () -> {
      Node node = started();
      living.add(node);
      return () -> {
        living.remove(node);
        return node.vertx.close();
      };
    });
    for (Node node : living) {
      until("all is free", 60, () -> node.manager.freeCores() == 2 && node.manager.freeMemory() == FunctionServerOptions.DEFAULT_MEMORY);
      if (!mayFail()) {
        assertEquals(0, node.manager.refusals());
      }
    }
    closeAll();
    InMemoryFabric memory = InMemoryFabric.named(InMemoryFabric.DEFAULT);
    until("all that was opened is closed", () -> memory.open().equals(before));
  }

  private boolean mayFail() {
    return Nic.built().isProvided();
  }

  /** On a faulty device a start may fail, and is repeated. */
  private Node started() throws Exception {
    while (true) {
      try {
        return manager(new FunctionServerOptions().setCores(2));
      } catch (ExecutionException e) {
        assertTrue(mayFail() && e.getCause() instanceof RdmaException, e.toString());
      }
    }
  }

  private void run(int calls, int callsPerLife, long seed, Callable<Life> birth) throws Exception {
    System.out.println("seed " + seed + ", over " + fabric());
    before = InMemoryFabric.named(InMemoryFabric.DEFAULT).open();
    total = calls;
    random = new Random(seed);
    for (Reason reason : Reason.values()) {
      failures.put(reason, new AtomicInteger());
    }
    Deque<Life> managers = new ArrayDeque<>();
    for (int i = 0; i < MANAGERS; i++) {
      managers.add(birth.call());
    }
    client = node();
    Promise<Void> ready = Promise.promise();
    client.vertx.runOnContext(v -> {
      invoker = FunctionClient.create(client.rdma);
      Future.all(lease(), lease(), lease()).<Void>mapEmpty().onComplete(ready);
    });
    await(ready.future());
    faults.run();
    long start = System.nanoTime();
    client.vertx.runOnContext(v -> {
      for (int i = 0; i < WINDOW; i++) {
        next();
      }
    });
    for (int life = 1; life * callsPerLife < calls; life++) {
      int until = life * callsPerLife;
      until("call " + until, 90, () -> ended.get() >= until);
      // Without a lease all calls might fail before a busy machine has started servers.
      until("workers of two servers are leased", 90, () -> mayFail() || leasedWorkers() > 2);
      Future<Void> gone = managers.poll().end();
      managers.add(birth.call());
      await(gone);
    }
    over.future().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    System.out.printf("%d calls in %d ms: %d results, failures %s%n", calls, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
      succeeded.get(), failures);
    stopping.set(true);
    await(invoker.close());
    assertEquals(calls, ended.get());
    assertEquals(0, failures.get(Reason.PROTOCOL).get());
    assertEquals(0, failures.get(Reason.FORGED_INVOCATION).get());
    // While no worker is leased, all calls of the window fail.
    assertTrue(succeeded.get() > (mayFail() ? 0 : calls / 2), "most succeed");
    assertEquals(List.of(), invoker.leases());
    assertEquals(0, invoker.waiting());
  }

  private int leasedWorkers() {
    return invoker.leases().stream().mapToInt(lease -> lease.workers().size()).sum();
  }

  private Future<?> lease() {
    return invoker.lease(new LeaseOptions().setWorkers(2).setMemory(1 << 18).setSlots(8).setWaitTimeout(Duration.ofSeconds(20))
      .setDuration(Duration.ofMillis(3_600_000)))
      .onFailure(cause -> {
        if (mayFail() && !stopping.get()) {
          lease();
        }
      })
      .onSuccess(leases -> leases.forEach(lease -> lease.ended().onComplete(done -> {
        if (!stopping.get()) {
          lease();
        }
      })));
  }

  private void next() {
    if (begunCalls == total) {
      return;
    }
    int number = begunCalls++;
    int dice = random.nextInt(100);
    String function = dice < 60 ? "echo" : dice < 70 ? "echo-once" : dice < 80 ? "echo-own-thread" : dice < 92 ? "late" : dice < 96 ? "fail"
      : "never";
    byte[] bytes = new byte[random.nextInt(50) == 0 ? random.nextInt(200_000) : random.nextInt(2_000)];
    random.nextBytes(bytes);
    Buffer arguments = Buffer.buffer(bytes);
    long millis = function.equals("never") ? 1 + random.nextInt(30) : random.nextInt(10) == 0 ? 1 + random.nextInt(5) : 20_000;
    Call call = invoker.call(function, arguments, new CallOptions(Duration.ofMillis(millis), bytes.length, 3));
    AtomicInteger times = new AtomicInteger();
    call.result().onComplete(done -> {
      if (times.incrementAndGet() != 1) {
        over.tryFail(new AssertionError("call " + number + " ended twice"));
      }
      if (done.succeeded()) {
        succeeded.incrementAndGet();
        if (!done.result().equals(arguments)) {
          over.tryFail(new AssertionError("call " + number + " of " + function + " got another's result"));
        }
      } else {
        failures.get(((FunctionException) done.cause()).reason()).incrementAndGet();
      }
      if (ended.incrementAndGet() == total) {
        over.tryComplete();
      }
      // Failures without a server come synchronously. A direct call would recurse.
      if (done.failed()) {
        client.vertx.setTimer(1, t -> next());
      } else {
        client.vertx.runOnContext(v -> next());
      }
    });
    if (random.nextInt(20) == 0) {
      if (random.nextBoolean()) {
        call.cancel();
      } else {
        client.vertx.setTimer(1 + random.nextInt(3), t -> call.cancel());
      }
    }
  }
}
