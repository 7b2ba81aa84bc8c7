package io.github.vertxrdma.demo;

import static io.github.vertxrdma.demo.Main.await;
import static io.github.vertxrdma.demo.Main.say;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.CallOptions;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionClientOptions;
import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionProvider;
import io.github.vertxrdma.functions.FunctionRegistry;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.functions.Lease;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Three nodes offer workers for functions. Node A leases all workers, processes the files of a folder on them, and then again itself. */
public final class FunctionsDemo implements FunctionProvider {
  private static final String WORK = "demo.file-work";
  private static final String ECHO = "demo.echo";
  /** Number of concurrent calls on each worker. */
  private static final int SLOTS = 2;
  private static final int PART = 1 << 20;

  @Override
  public void register(FunctionRegistry registry) {
    registry.register(WORK, new FunctionOptions().setIdempotent(true), RemoteFunction.of(FunctionsDemo::work));
    registry.register(ECHO, new FunctionOptions().setIdempotent(true).setThreading(ThreadingModel.EVENT_LOOP),
      RemoteFunction.of(arguments -> arguments));
  }

  /** Returns the number of lines, the number of words and a checksum of a part of a file. */
  private static Buffer work(Buffer part) {
    String text = part.toString("ISO-8859-1");
    CRC32C checksum = new CRC32C();
    checksum.update(part.getBytes());
    return Buffer.buffer().appendLong(text.lines().count()).appendLong(text.split("[^A-Za-z]+").length).appendLong(checksum.getValue());
  }

  static void run(Demo.Functions arguments) throws Exception {
    Vertx vertx = await(Vertx.builder().withClusterManager(new HazelcastClusterManager(Main.cluster(arguments.node))).buildClustered());
    Rdma rdma = Rdma.create(vertx, Main.options(arguments.node));
    FunctionServer server = FunctionServer.create(rdma, new FunctionServerOptions().setCores(arguments.workers));
    await(server.listen());
    // B and C end when A has ended.
    if (arguments.node.name.equals("A")) {
      await(rdma.createServer().connectHandler(guest -> guest.handler(message -> {})).listen("demo.end"));
      call(vertx, FunctionClient.create(rdma, new FunctionClientOptions().setClient("the demo")), arguments);
    } else {
      rdma.connect("demo.end", Main.PATIENT).compose(owner -> Future.future(ended -> owner.closeHandler(v -> ended.tryComplete()))).await();
    }
    await(server.close());
    await(vertx.close());
  }

  private static void call(Vertx vertx, FunctionClient client, Demo.Functions arguments) throws Exception {
    List<Buffer> parts = read(arguments.folder, (long) arguments.limit << 20);
    double mebibytes = parts.stream().mapToLong(Buffer::length).sum() / 1048576.0;
    int workers = arguments.workers * Main.NODES.size();
    List<Lease> leases = await(client.lease(new LeaseOptions().setWorkers(workers).setMemory(4 * PART).setSlots(SLOTS).setAutoRenew(true)
      .setWaitTimeout(Main.PATIENCE)));
    leases.forEach(lease -> say("A", "leased %d worker%s of node %s over %s", lease.workers().size(),
      lease.workers().size() == 1 ? "" : "s", lease.nodeId(), lease.workers().getFirst().fabric()));
    // The first round warms up the JIT compiler.
    callAll(client, parts, workers * SLOTS);
    long start = System.nanoTime();
    List<Buffer> there = callAll(client, parts, workers * SLOTS);
    double remote = (System.nanoTime() - start) / 1e9;
    start = System.nanoTime();
    List<Buffer> here = parts.stream().map(FunctionsDemo::work).toList();
    double alone = (System.nanoTime() - start) / 1e9;
    if (!there.equals(here)) {
      throw new IOException("the workers' results differ from those computed here");
    }
    say("A", "%d lines, %d words, the same on workers and here", here.stream().mapToLong(result -> result.getLong(0)).sum(),
      here.stream().mapToLong(result -> result.getLong(8)).sum());
    say("A", "one thread: %.2f s, %.1f MiB/s; %d workers: %.2f s, speed-up %.2f on %d processors", alone, mebibytes / alone, workers,
      remote, alone / remote, Runtime.getRuntime().availableProcessors());
    echo(vertx.getOrCreateContext(), client, "warm");
    await(Future.all(leases.stream().map(FunctionsDemo::bill).toList()));
    // Leases a worker that polls.
    List<Lease> hot = await(client.lease(new LeaseOptions().setMode(WorkerMode.HOT).setWaitTimeout(Main.PATIENCE)));
    echo(vertx.getOrCreateContext(), client, "hot");
    await(bill(hot.getFirst()));
    await(client.close());
  }

  /** Reads files in the order of their names, large ones in parts, until the limit is reached. */
  private static List<Buffer> read(Path folder, long limit) throws IOException {
    List<Path> files;
    try (Stream<Path> walk = Files.walk(folder)) {
      files = walk.filter(file -> Files.isRegularFile(file) && Files.isReadable(file)).sorted().toList();
    }
    List<Buffer> parts = new ArrayList<>();
    long left = limit;
    int count = 0;
    for (; count < files.size() && left > 0; count++) {
      try (InputStream in = Files.newInputStream(files.get(count))) {
        for (byte[] part; left > 0 && (part = in.readNBytes((int) Math.min(PART, left))).length > 0; left -= part.length) {
          parts.add(Buffer.buffer(part));
        }
      }
    }
    say("A", "read %d files of %s, %.1f MiB in %d parts", count, folder, (limit - left) / 1048576.0, parts.size());
    return parts;
  }

  private static List<Buffer> callAll(FunctionClient client, List<Buffer> parts, int atOnce) throws Exception {
    Semaphore window = new Semaphore(atOnce);
    List<Future<Buffer>> results = new ArrayList<>();
    for (Buffer part : parts) {
      window.acquire();
      results.add(client.invoke(WORK, part, CallOptions.DEFAULT.withTimeout(Main.PATIENCE)).onComplete(v -> window.release()));
    }
    return await(Future.all(results)).list();
  }

  private static void echo(Context context, FunctionClient client, String mode) throws Exception {
    long[] times = DemoPair.time(context, 2000, i -> client.invoke(ECHO, Buffer.buffer(new byte[32])));
    say("A", "a call of 32 bytes on a %s worker: p50 %s, p99 %s", mode, DemoPair.percentile(times, 50), DemoPair.percentile(times, 99));
  }

  private static Future<Bill> bill(Lease lease) {
    return lease.end().onSuccess(bill -> say("A",
      "bill of %s for node %s: %d workers, %.1f MiB, %.2f s allocated, %.2f s polled, %.2f s executed, %d calls", bill.client(),
      lease.nodeId(), bill.workers(), bill.memory() / 1048576.0, bill.allocationNanos() / 1e9, bill.hotNanos() / 1e9,
      bill.executionNanos() / 1e9, bill.invocations()));
  }
}
