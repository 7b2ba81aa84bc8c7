package io.github.vertxrdma.demo;

import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.CallOptions;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionClientOptions;
import io.github.vertxrdma.functions.Lease;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.WorkerInfo;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/** Node A's part of the functions demo: leases all workers, has the folder worked through there, then does the same alone. */
final class FunctionsCaller {
  private static final int SLOTS = 2;
  private static final int MEMORY = 2 << 20;
  /** With its header it fits into one slot. */
  private static final int PART = MEMORY / SLOTS - 4096;
  /** Parts that are worked on before times count, on each worker and alone. */
  private static final int WARM_UP = 6;
  private static final int ECHOES = 2_000;

  private final DemoNode node;
  private final Demo.Functions arguments;

  FunctionsCaller(DemoNode node, Demo.Functions arguments) {
    this.node = node;
    this.arguments = arguments;
  }

  void run() throws Exception {
    FolderParts folder = FolderParts.read(arguments.folder, PART, (long) arguments.limit << 20);
    System.out.println("read " + folder.files() + " files of " + arguments.folder + ", " + DemoNode.mebibytes(folder.bytes())
      + " MiB in " + folder.parts().size() + " parts");
    FunctionClient invoker = FunctionClient.create(node.vertx(), node.rdma(), new FunctionClientOptions().setClient("the demo"));
    int workers = arguments.workers * NodeDemo.NODES.size();
    List<Lease> leases = DemoNode.await(invoker.lease(new LeaseOptions().setWorkers(workers).setMemory(MEMORY).setSlots(SLOTS)
      .setAutoRenew(true).setWaitTimeout(Duration.ofSeconds(60))));
    for (Lease lease : leases) {
      WorkerInfo first = lease.workers().getFirst();
      System.out.println("leased " + lease.workers().size() + (lease.workers().size() == 1 ? " worker" : " workers") + " of node "
        + lease.nodeId() + " over " + first.fabric());
    }
    List<Buffer> some = folder.parts().subList(0, Math.min(folder.parts().size(), WARM_UP * workers));
    callAll(invoker, some, new long[some.size()], workers * SLOTS);
    some.subList(0, Math.min(some.size(), WARM_UP)).forEach(FileWork::of);

    long[] times = new long[folder.parts().size()];
    long start = System.nanoTime();
    List<Buffer> there = callAll(invoker, folder.parts(), times, workers * SLOTS);
    double remote = (System.nanoTime() - start) / 1e9;
    start = System.nanoTime();
    List<Buffer> here = folder.parts().stream().map(FileWork::of).toList();
    double alone = (System.nanoTime() - start) / 1e9;
    if (!there.equals(here)) {
      throw new IOException("the workers' results differ from those computed here");
    }
    report(folder, here, workers, remote, alone, times);
    echo(invoker, WorkerMode.WARM);
    for (Lease lease : leases) {
      bill(lease, DemoNode.await(lease.end()));
    }
    // One that polls, for comparison.
    List<Lease> hot = DemoNode.await(invoker.lease(new LeaseOptions().setMode(WorkerMode.HOT).setWaitTimeout(Duration.ofSeconds(30))));
    echo(invoker, WorkerMode.HOT);
    bill(hot.getFirst(), DemoNode.await(hot.getFirst().end()));
    DemoNode.await(invoker.close());
  }

  private static List<Buffer> callAll(FunctionClient invoker, List<Buffer> parts, long[] times, int slots) throws Exception {
    Semaphore window = new Semaphore(slots);
    List<Future<Buffer>> results = new ArrayList<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (int i = 0; i < parts.size() && failure.get() == null; i++) {
      window.acquire();
      int number = i;
      long start = System.nanoTime();
      results.add(invoker.invoke(FileWork.NAME, parts.get(i), CallOptions.DEFAULT.withTimeout(Duration.ofMinutes(1))).onComplete(done -> {
        times[number] = System.nanoTime() - start;
        failure.compareAndSet(null, done.cause());
        window.release();
      }));
    }
    DemoNode.await(Future.all(results));
    return results.stream().map(Future::result).toList();
  }

  private static void report(FolderParts folder, List<Buffer> results, int workers, double remote, double alone, long[] times) {
    long lines = 0;
    long words = 0;
    long compressed = 0;
    for (Buffer result : results) {
      lines += result.getLong(FileWork.LINES);
      words += result.getLong(FileWork.WORDS);
      compressed += result.getLong(FileWork.COMPRESSED);
    }
    System.out.printf(Locale.ROOT, "%d lines, %d words, %s MiB when compressed; the same on workers and here%n", lines, words,
      DemoNode.mebibytes(compressed));
    System.out.printf(Locale.ROOT, "%d workers: %.2f s, %.1f MiB/s; a part took %s%n", workers, remote,
      folder.bytes() / 1048576.0 / remote, percentiles(new Latencies(times)));
    System.out.printf(Locale.ROOT, "one thread: %.2f s, %.1f MiB/s; speed-up %.2f on %d processors%n", alone,
      folder.bytes() / 1048576.0 / alone, alone / remote, Runtime.getRuntime().availableProcessors());
  }

  /** One small call after the other. */
  private void echo(FunctionClient invoker, WorkerMode mode) throws Exception {
    Context context = node.vertx().getOrCreateContext();
    Latencies.Operation call = i -> invoker.invoke(FileWork.ECHO, Buffer.buffer(new byte[32]));
    // The first round warms up.
    Latencies.of(context, ECHOES, call);
    System.out.println("a call of 32 bytes on a " + mode.name().toLowerCase(Locale.ROOT) + " worker: "
      + percentiles(Latencies.of(context, ECHOES, call)));
  }

  private static String percentiles(Latencies of) {
    return "p50 " + of.percentile(50) + ", p99 " + of.percentile(99);
  }

  private static void bill(Lease lease, Bill bill) {
    System.out.printf(Locale.ROOT,
      "bill of %s for node %s: %d workers, %s MiB, %.2f s allocated, %.2f s polled, %.2f s executed, %d calls%n",
      bill.client(), lease.nodeId(), bill.workers(), DemoNode.mebibytes(bill.memory()), bill.allocationNanos() / 1e9,
      bill.hotNanos() / 1e9, bill.executionNanos() / 1e9, bill.invocations());
  }
}
