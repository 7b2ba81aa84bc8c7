package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.functions.FunctionException.Reason;
import io.github.vertxrdma.provider.testkit.memory.InMemoryFabric;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls with random times, cancellations and dying workers: every future ends once, with its own result, and nothing is left. */
class RandomCallsTest extends Nodes {
  private static final int MANAGERS = 3;
  private static final int WINDOW = 64;

  private final Map<Reason, AtomicInteger> failures = new EnumMap<>(Reason.class);
  private final AtomicInteger succeeded = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final Promise<Void> over = Promise.promise();
  private final AtomicBoolean stopping = new AtomicBoolean();
  private Node client;
  private Invoker invoker;
  private Random random;
  private int begunCalls;
  private int total;

  @Test
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

  /** In memory, where all that is open can be counted, unless another is named. */
  @Override
  String fabric() {
    return System.getProperty("vertx.rdma.random.fabric", super.fabric());
  }

  @Override
  void register(FunctionRegistry registry) {
    FunctionOptions onLoop = new FunctionOptions(ON_LOOP).setIdempotent(true);
    registry.register("echo", onLoop, RemoteFunction.of(arguments -> arguments));
    registry.register("echo-own-thread", IDEMPOTENT, RemoteFunction.of(arguments -> arguments));
    registry.register("echo-once", ON_LOOP, RemoteFunction.of(arguments -> arguments));
    registry.register("late", onLoop, invocation -> {
      Promise<Buffer> promise = Promise.promise();
      Vertx.currentContext().owner().setTimer(1 + (invocation.id() & 7), t -> promise.complete(invocation.arguments()));
      return promise.future();
    });
    registry.register("never", ON_LOOP, invocation -> Promise.<Buffer>promise().future());
    registry.register("fail", onLoop, RemoteFunction.of(words -> {
      throw new IllegalStateException("as it should");
    }));
  }

  private void run(int calls, int callsPerLife, long seed) throws Exception {
    System.out.println("seed " + seed + ", over " + fabric());
    Map<String, Long> before = InMemoryFabric.named(InMemoryFabric.DEFAULT).open();
    total = calls;
    random = new Random(seed);
    for (Reason reason : Reason.values()) {
      failures.put(reason, new AtomicInteger());
    }
    ArrayDeque<Node> managers = new ArrayDeque<>();
    for (int i = 0; i < MANAGERS; i++) {
      managers.add(manager(new ManagerOptions().setCores(2)));
    }
    client = node();
    Promise<Void> ready = Promise.promise();
    client.vertx.runOnContext(v -> {
      invoker = Invoker.create(client.vertx, client.rdma);
      Future.all(lease(), lease(), lease()).<Void>mapEmpty().onComplete(ready);
    });
    await(ready.future());
    long start = System.nanoTime();
    client.vertx.runOnContext(v -> {
      for (int i = 0; i < WINDOW; i++) {
        next();
      }
    });
    for (int life = 1; life * callsPerLife < calls; life++) {
      int until = life * callsPerLife;
      until("call " + until, 90, () -> ended.get() >= until);
      Node dying = managers.poll();
      Future<Void> closed = dying.vertx.close();
      managers.add(manager(new ManagerOptions().setCores(2)));
      await(closed);
    }
    over.future().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    System.out.printf("%d calls in %d ms: %d results, failures %s%n", calls, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
      succeeded.get(), failures);
    stopping.set(true);
    await(invoker.close());
    assertEquals(calls, ended.get());
    assertEquals(0, failures.get(Reason.PROTOCOL).get());
    assertEquals(0, failures.get(Reason.FORGED_INVOCATION).get());
    assertTrue(succeeded.get() > calls / 2, "most succeed");
    for (Node manager : managers) {
      until("all is free", () -> manager.manager.freeCores() == 2 && manager.manager.freeMemory() == ManagerOptions.DEFAULT_MEMORY);
      assertEquals(0, manager.manager.refusals());
    }
    closeAll();
    assertEquals(before, InMemoryFabric.named(InMemoryFabric.DEFAULT).open());
  }

  /** Two workers, and two others when those are gone. */
  private Future<?> lease() {
    return invoker.lease(new LeaseOptions().setWorkers(2).setMemory(1 << 18).setSlots(8).setWaitMillis(20_000).setMillis(3_600_000))
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
    Call call = invoker.call(function, arguments, new CallOptions(millis, bytes.length, 3));
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
      // Failures with nobody to call come at once: not in a loop.
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
