package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("alone")
@Timeout(60)
@Tag("polling")
class HotModeTest extends Nodes {
  private static final Duration IDLE_TIMEOUT = Duration.ofMillis(300);
  private static final int ROUNDS = 5;

  private String fabric;

  @Override
  String fabric() {
    return fabric;
  }

  private static WorkerMode mode(Lease lease) {
    return lease.workers().getFirst().mode();
  }

  private static void untilHot(FunctionClient invoker, Lease lease) {
    until("it is hot", () -> {
      invoker.invoke("echo", Buffer.buffer());
      return mode(lease) == WorkerMode.HOT;
    });
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory", "tcp"})
  void workerPollsForTheIdleTimeoutAfterACallAndThenSleeps(String over) throws Exception {
    fabric = over;
    manager(new FunctionServerOptions().setCores(1).setHotIdleTimeout(IDLE_TIMEOUT));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setMode(WorkerMode.HOT));
    Lease lease = invoker.leases().getFirst();
    long billed = 0;
    long longestRound = 0;
    // In a single round a busy machine may run the worker only after its idle timeout.
    for (int i = 0; i < ROUNDS && longestRound < IDLE_TIMEOUT.toNanos() - TimeUnit.MILLISECONDS.toNanos(50); i++) {
      long round = nanosOfOneRound(invoker, lease, billed);
      billed += round;
      longestRound = Math.max(longestRound, round);
    }
    assertTrue(longestRound >= IDLE_TIMEOUT.toNanos() - TimeUnit.MILLISECONDS.toNanos(50), longestRound + " ns in the longest round");
    assertEquals("hot again", await(invoker.invoke("echo", Buffer.buffer("hot again"))).toString());
    assertTrue(nanosOfOneRound(invoker, lease, billed) > 0, "the worker does not poll again");
    Bill bill = await(lease.end());
    assertTrue(bill.hotNanos() <= bill.allocationNanos(), bill.toString());
  }

  /** Makes the worker hot and waits until it is warm. @return nanoseconds of polling in this round */
  private static long nanosOfOneRound(FunctionClient invoker, Lease lease, long billedBefore) throws Exception {
    untilHot(invoker, lease);
    until("it is warm", () -> mode(lease) == WorkerMode.WARM);
    return await(lease.bill()).hotNanos() - billedBefore;
  }

  @Test
  void hotWorkerUsesACoreAndWarmWorkerDoesNot() throws Exception {
    Assumptions.assumeTrue(Files.exists(Path.of("/proc/thread-self/schedstat")), "the time of a thread is read as on Linux");
    fabric = "memory";
    Node server = manager(new FunctionServerOptions().setCores(1).setHotIdleTimeout(Duration.ofSeconds(60)));
    server.manager.register("thread-id", ON_LOOP, invocation -> Future.succeededFuture(
      Buffer.buffer(Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString())));
    FunctionClient invoker = invoker(node(), new LeaseOptions().setMode(WorkerMode.HOT));
    Path stat = Path.of("/proc/self/task", await(invoker.invoke("thread-id", Buffer.buffer())).toString(), "schedstat");
    long before = cpuNanos(stat);
    // A thread that never sleeps gets this CPU time on any busy machine.
    until("it has used 300 ms of a core without a call", () -> cpuNanos(stat) - before > 300_000_000L);
    await(invoker.leases().getFirst().end());
    await(invoker.lease(new LeaseOptions().setMode(WorkerMode.WARM)));
    await(invoker.invoke("echo", Buffer.buffer()));
    assertEquals(WorkerMode.WARM, mode(invoker.leases().getFirst()));
    long warm = cpuNanos(stat);
    long end = System.nanoTime() + 500_000_000L;
    until("time has passed", () -> System.nanoTime() > end);
    long idle = cpuNanos(stat) - warm;
    assertTrue(idle < 100_000_000L, idle + " ns in half a second");
  }

  /** CPU time of a thread; proc(5), /proc/pid/schedstat. */
  private static long cpuNanos(Path stat) {
    try {
      return Long.parseLong(Files.readString(stat).split(" ")[0]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
