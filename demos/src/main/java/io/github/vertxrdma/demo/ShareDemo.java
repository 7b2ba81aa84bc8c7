package io.github.vertxrdma.demo;

import static io.github.vertxrdma.demo.Main.NODES;
import static io.github.vertxrdma.demo.Main.await;
import static io.github.vertxrdma.demo.Main.say;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.commands.Demo;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Three nodes share a file. Node A owns the region with the file. B and C fetch it by remote reads, and report by a notified write and an
 * atomic addition.
 */
record ShareDemo(Demo arguments, String name, Vertx vertx, Rdma rdma) {
  private static final String FILE = "file";
  /** Region with a counter of B and C, then a slot for each node's result. */
  private static final String RESULTS = "results";
  private static final String GREETINGS = "greetings";
  private static final int SLOT = 256;
  private static final int CHUNK = 1 << 20;
  /** Maximum number of reads in flight. */
  private static final int WINDOW = 4;

  static void run(Demo arguments) throws Exception {
    Demo.Node node = arguments.node;
    Vertx vertx = await(Vertx.builder().withClusterManager(new HazelcastClusterManager(Main.cluster(node))).buildClustered());
    ShareDemo demo = new ShareDemo(arguments, node.name, vertx, Rdma.create(vertx, Main.options(node)));
    if (node.name.equals("A")) {
      demo.own();
    } else {
      demo.fetchAndReport();
    }
    await(vertx.close());
  }

  private void own() throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    RegionOptions shared = new RegionOptions().setName(FILE).setSize(Files.size(arguments.file)).setAccess(RegionAccess.READ);
    MemoryRegion file = await(rdma.createRegion(shared));
    try (InputStream source = Files.newInputStream(arguments.file)) {
      long at = 0;
      for (byte[] part; (part = source.readNBytes(CHUNK)).length > 0; at += part.length) {
        file.write(at, Buffer.buffer(part));
        digest.update(part);
      }
    }
    String sha = HexFormat.of().formatHex(digest.digest());
    say(name, "SHA-256 " + sha);
    // Handles notifications and closes on one context, so that the result of a node is reported before its close.
    Context context = vertx.getOrCreateContext();
    RegionOptions slots = new RegionOptions().setName(RESULTS).setSize((long) SLOT * NODES.size())
      .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC);
    MemoryRegion results = await(Future.<MemoryRegion>future(made -> context.runOnContext(v -> rdma.createRegion(slots).onComplete(made))));
    Set<String> reported = new HashSet<>();
    results.notificationHandler(written -> {
      String guest = NODES.get((int) written.tag());
      reported.add(guest);
      say(name, guest + " has written its result: " + written.data());
    });
    Set<String> closed = new HashSet<>();
    Promise<Void> all = Promise.promise();
    await(rdma.createServer().connectHandler(connection -> connection.requestHandler(message -> {
      String guest = message.toString();
      connection.exceptionHandler(cause -> all.tryFail(new IOException("lost " + guest + ": " + cause.getMessage(), cause)));
      connection.closeHandler(v -> context.runOnContext(w -> {
        if (!reported.contains(guest)) {
          all.tryFail(new IOException("lost " + guest + " before it reported"));
        } else if (closed.add(guest) && closed.size() == NODES.size() - 1) {
          all.tryComplete();
        }
      }));
      return Future.succeededFuture(Buffer.buffer(sha));
    })).listen(GREETINGS));
    // No time limit: the option --limit may make the other nodes slow.
    all.future().await();
    say(name, "nodes that fetched the file: " + await(rdma.openRegion(RESULTS).compose(own -> own.fetchAndAdd(0, 0))));
  }

  private void fetchAndReport() throws Exception {
    RdmaConnection owner = await(rdma.connect(GREETINGS, Main.PATIENT));
    say(name, "fabric: " + owner.fabric());
    Future<Void> lost = Future.future(failed -> owner.exceptionHandler(failed::tryFail));
    try {
      String expected = await(owner.request(Buffer.buffer(name))).toString();
      RemoteRegion file = await(rdma.openRegion(FILE));
      say(name, "fetches region '" + FILE + "', " + file.size() + " bytes, over " + file.fabric() + " (" + file.strategies() + ")");
      long start = System.nanoTime();
      String sha = fetch(file, start, lost);
      long rate = Math.round(file.size() / 1048576.0 / ((System.nanoTime() - start) / 1e9));
      say(name, "SHA-256 " + sha);
      await(BesideTcp.check(sha, expected));
      RemoteRegion results = await(rdma.openRegion(RESULTS));
      say(name, "writes to region '" + RESULTS + "', over " + results.fabric() + " (" + results.strategies() + ")");
      say(name, "has fetched the file as node number " + (await(results.fetchAndAdd(0, 1)) + 1));
      JsonObject result = new JsonObject().put("sha256", sha.substring(0, 16) + "…").put("MiB/s", rate);
      await(results.writeNotify((long) SLOT * NODES.indexOf(name), result.toBuffer(), NODES.indexOf(name)));
    } catch (Exception cause) {
      throw new IOException("lost node A (" + owner.remoteNodeId() + "): " + cause.getMessage(), cause);
    }
    await(owner.close());
  }

  /** Reads the region in parts and returns its SHA-256. */
  private String fetch(RemoteRegion file, long start, Future<Void> lost) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    ArrayDeque<Future<Buffer>> reads = new ArrayDeque<>();
    long asked = 0;
    long reported = start;
    for (long done = 0; done < file.size();) {
      for (; asked < file.size() && reads.size() < WINDOW; asked += CHUNK) {
        reads.add(file.read(asked, (int) Math.min(CHUNK, file.size() - asked)));
      }
      Buffer chunk = await(lost.failed() ? lost.mapEmpty() : reads.poll());
      digest.update(chunk.getBytes());
      done += chunk.length();
      if (done == file.size() || System.nanoTime() - reported > 1_000_000_000L) {
        reported = System.nanoTime();
        say(name, done * 100 / file.size() + " %");
      }
      long due = arguments.limit == 0 ? 0 : (long) (done / (arguments.limit * CHUNK) * 1e9);
      while (System.nanoTime() - start < due && !lost.failed()) {
        LockSupport.parkNanos(10_000_000);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
