package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("alone")
class IdleConnectionsTest {
  private static final int CONNECTIONS = 100;
  private static final Duration MEASURED = Duration.ofSeconds(60);
  /** Pause for the compiler, for work after connecting, and for worker threads. */
  private static final Duration SETTLING = Duration.ofSeconds(30);

  @TempDir
  Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "rxm", "shm", "nio"})
  @Tag("long")
  @Timeout(180)
  void anIdleProcessUsesLessThanOneHundredthOfACore(String fabric) throws Exception {
    double[] percent = measure(fabric, CONNECTIONS, folder);
    assertTrue(percent[0] < 1 && percent[1] < 1, () -> percent[0] + " % and " + percent[1] + " % of a core");
  }

  /** @return per cent of a core of the accepting and of the connecting process */
  static double[] measure(String fabric, int connections, Path folder) throws Exception {
    try (ChildJvm server = ChildJvm.start(End.class, "server", fabric, folder.toString())) {
      String ready = server.await("ready");
      assumeFalse(ready.startsWith("not"), ready);
      try (ChildJvm client = ChildJvm.start(End.class, "client", fabric, folder.toString(), Integer.toString(connections))) {
        client.await("ready");
        Thread.sleep(SETTLING);
        Duration serverBefore = cpu(server);
        Duration clientBefore = cpu(client);
        long start = System.nanoTime();
        Thread.sleep(MEASURED);
        double lasted = System.nanoTime() - start;
        double serverPercent = 100 * cpu(server).minus(serverBefore).toNanos() / lasted;
        double clientPercent = 100 * cpu(client).minus(clientBefore).toNanos() / lasted;
        System.out.printf(
          "idle with %d connections over %-4s %5.2f %% of a core where they were accepted, %5.2f %% where they were opened%n",
          connections, fabric + ':', serverPercent, clientPercent);
        client.send("ask");
        client.await("answered");
        return new double[] {serverPercent, clientPercent};
      }
    }
  }

  private static Duration cpu(ChildJvm child) {
    return ProcessHandle.of(child.pid()).flatMap(process -> process.info().totalCpuDuration()).orElseThrow();
  }

  static final class End {
    private End() {
    }

    public static void main(String[] args) throws Exception {
      Vertx vertx = Vertx.vertx();
      Rdma rdma = Rdma.create(vertx, new RdmaOptions().setFabric(args[1])
        .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(args[2])));
      if (args[0].equals("server")) {
        Future<RdmaServer> listening = rdma.createServer().connectHandler(c -> c.handler(c::write)).listen("idle");
        listening.onComplete(done -> System.out.println(done.succeeded() ? "ready" : "ready not: " + done.cause().getMessage()));
        new CountDownLatch(1).await();
      }
      List<RdmaConnection> connections = new ArrayList<>();
      int count = Integer.parseInt(args[3]);
      for (int i = 0; i < count; i++) {
        connections.add(await(rdma.connect("idle")));
      }
      ask(connections);
      System.out.println("ready");
      System.in.read();
      ask(connections);
      System.out.println("answered");
      await(vertx.close());
    }

    private static void ask(List<RdmaConnection> connections) throws InterruptedException {
      CountDownLatch answers = new CountDownLatch(connections.size());
      for (RdmaConnection connection : connections) {
        connection.handler(answer -> answers.countDown());
        connection.write(Buffer.buffer("hello"));
      }
      if (!answers.await(Math.max(30_000, Await.PATIENCE_MILLIS), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException(answers.getCount() + " connections did not answer");
      }
    }
  }
}
