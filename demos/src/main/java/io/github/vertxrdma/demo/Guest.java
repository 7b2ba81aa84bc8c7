package io.github.vertxrdma.demo;

import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.commands.Demo;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.HexFormat;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Nodes B and C: fetch A's file with remote reads, verify it, and report by a notified write and an atomic addition. */
final class Guest {
  private static final int CHUNK = 1 << 20;
  /** Reads under way at once. */
  private static final int WINDOW = 4;

  private final DemoNode node;
  private final Demo arguments;
  private final Thread thread = Thread.currentThread();
  private final BlockingQueue<JsonObject> heard = new LinkedBlockingQueue<>();
  private volatile Throwable lost;
  private long reportedAt;

  Guest(DemoNode node, Demo arguments) {
    this.node = node;
    this.arguments = arguments;
  }

  void run() throws Exception {
    RdmaConnection owner = DemoNode
      .await(node.rdma().connect(Owner.GREETINGS, new RdmaConnectOptions().setLookupTimeout(DemoNode.PATIENCE)));
    try {
      DemoNode.explain(owner.fabric());
      fetchAndReport(owner);
    } catch (Exception cause) {
      throw new IOException("lost node A (" + owner.remoteNodeId() + "): " + cause.getMessage(), cause);
    }
    DemoNode.await(owner.close());
  }

  private void fetchAndReport(RdmaConnection owner) throws Exception {
    owner.handler(message -> heard.add(message.toJsonObject()));
    owner.exceptionHandler(cause -> {
      lost = cause;
      LockSupport.unpark(thread);
    });
    owner.write(new JsonObject().put("from", arguments.node.name).put("words", "hello from " + arguments.node.name).toBuffer());
    JsonObject answer = welcome();
    System.out.println("A says: " + answer.getString("words"));

    RemoteRegion file = DemoNode.await(node.rdma().openRegion(Owner.FILE));
    System.out.println("fetches region '" + file.name() + "', " + DemoNode.mebibytes(file.size()) + " MiB, over " + file.fabric() + " ("
      + file.strategies() + ")");
    long start = System.nanoTime();
    String sha = fetch(file);
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.println("SHA-256 " + sha);
    if (!sha.equals(answer.getString("sha256"))) {
      throw new IOException("what was fetched is not what A has: its SHA-256 is " + answer.getString("sha256"));
    }

    RemoteRegion results = DemoNode.await(node.rdma().openRegion(Owner.RESULTS));
    System.out.println("writes to region '" + results.name() + "', over " + results.fabric() + " (" + results.strategies() + ")");
    JsonObject result = new JsonObject().put("node", arguments.node.name).put("sha256", sha.substring(0, 16) + "…")
      .put("MiB/s", String.format(Locale.ROOT, "%.1f", file.size() / 1048576.0 / seconds));
    long before = DemoNode.await(results.fetchAndAdd(Owner.COUNTER, 1));
    System.out.println("is guest number " + (before + 1));
    DemoNode.await(results.writeNotify(Owner.slot(arguments.node.name), result.toBuffer(), NodeDemo.NODES.indexOf(arguments.node.name)));
  }

  /** Waits while A lives and reads its file, however long that takes. */
  private JsonObject welcome() throws Exception {
    long silentSince = System.nanoTime();
    while (lost == null) {
      JsonObject message = heard.poll(200, TimeUnit.MILLISECONDS);
      if (message != null && message.containsKey("words")) {
        return message;
      }
      if (message != null) {
        silentSince = System.nanoTime();
      } else if (System.nanoTime() - silentSince > DemoNode.PATIENCE.toNanos()) {
        throw new TimeoutException("it says nothing");
      }
    }
    throw new IOException(lost.getMessage(), lost);
  }

  private String fetch(RemoteRegion file) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    ArrayDeque<Future<Buffer>> reads = new ArrayDeque<>();
    long start = System.nanoTime();
    long asked = 0;
    long done = 0;
    while (done < file.size()) {
      while (asked < file.size() && reads.size() < WINDOW) {
        int length = (int) Math.min(CHUNK, file.size() - asked);
        reads.add(file.read(asked, length));
        asked += length;
      }
      Buffer chunk = DemoNode.await(reads.poll());
      digest.update(chunk.getBytes());
      done += chunk.length();
      report(done, file.size(), start);
      slowDown(done, start);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private void report(long done, long size, long start) {
    long now = System.nanoTime();
    if (done == size || now - reportedAt > 200_000_000L) {
      reportedAt = now;
      System.out.println(new Progress((int) (done * 100 / size), done / 1048576.0 / ((now - start) / 1e9)).print());
      System.out.flush();
    }
  }

  private void slowDown(long done, long start) throws IOException {
    if (arguments.limit > 0) {
      long due = start + (long) (done / (arguments.limit * 1048576) * 1e9);
      for (long left; lost == null && (left = due - System.nanoTime()) > 0;) {
        LockSupport.parkNanos(left);
      }
    }
    Throwable cause = lost;
    if (cause != null) {
      throw new IOException(cause.getMessage(), cause);
    }
  }
}
