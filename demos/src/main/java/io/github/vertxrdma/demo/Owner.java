package io.github.vertxrdma.demo;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.commands.Demo;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;

/** Node A: owns the file's region and the one for results, greets the guests, and ends when both have reported. */
final class Owner {
  /** The results region: a counter of guests, then a slot for each. */
  static final String RESULTS = "results";
  static final String FILE = "file";
  static final String GREETINGS = "greetings";
  static final int COUNTER = 0;
  static final int SLOT_SIZE = 256;
  private static final int CHUNK = 1 << 20;

  private final DemoNode node;
  /** Of the results region: a result that a guest has written is heard here before the guest's end. */
  private final Context context;
  private final Demo arguments;
  private final Set<String> reported = new HashSet<>();
  private final Promise<Void> all = Promise.promise();
  /** Completed with the SHA-256 of the file once the region has it. */
  private final Promise<String> ready = Promise.promise();
  private volatile int percent;
  private MemoryRegion results;
  private int closed;

  Owner(DemoNode node, Demo arguments) {
    this.node = node;
    this.context = node.vertx().getOrCreateContext();
    this.arguments = arguments;
  }

  static int slot(String guest) {
    return SLOT_SIZE * (NodeDemo.NODES.indexOf(guest));
  }

  void run() throws Exception {
    // Guests are greeted at once and hear how far this node is: a large file takes longer than they would wait for silence.
    DemoNode.await(node.rdma().createServer().connectHandler(this::greet).listen(GREETINGS));
    RegionOptions slots = new RegionOptions().setName(RESULTS).setSize((long) SLOT_SIZE * NodeDemo.NODES.size())
      .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC);
    Promise<MemoryRegion> shared = Promise.promise();
    context.runOnContext(v -> node.rdma().createRegion(slots).onComplete(shared));
    results = DemoNode.await(shared.future());
    results.notificationHandler(this::result);
    long size = Files.size(arguments.file);
    MemoryRegion file = node.rdma().createRegion(new RegionOptions().setName(FILE).setSize(size).setAccess(RegionAccess.READ)).await();
    String sha = fill(file.segment());
    System.out.println("SHA-256 " + sha);
    System.out.println("shares region '" + FILE + "' (" + size + " bytes) for reading, and '" + RESULTS
      + "' for reading, writing and atomics");
    ready.complete(sha);
    // No limit here: guests may fetch as slowly as they were told to.
    all.future().await();
    long count = DemoNode.await(node.rdma().openRegion(RESULTS).compose(own -> own.fetchAndAdd(COUNTER, 0)));
    System.out.println("guests counted in: " + count);
    if (count != NodeDemo.NODES.size() - 1) {
      throw new IOException("the counter should be " + (NodeDemo.NODES.size() - 1));
    }
  }

  private void greet(RdmaConnection guest) {
    String[] name = {"a guest"};
    long timer = node.vertx().setPeriodic(0, 1000, id -> guest.write(new JsonObject().put("percent", percent).toBuffer()));
    guest.handler(message -> {
      JsonObject greeting = message.toJsonObject();
      name[0] = greeting.getString("from");
      System.out.println(name[0] + " says: " + greeting.getString("words"));
      ready.future().onSuccess(sha -> {
        node.vertx().cancelTimer(timer);
        guest.write(new JsonObject().put("from", "A").put("words", "welcome, " + name[0]).put("sha256", sha).toBuffer());
      });
    });
    guest.exceptionHandler(cause -> all.tryFail(new IOException("lost " + name[0] + ": " + cause.getMessage(), cause)));
    guest.closeHandler(v -> {
      node.vertx().cancelTimer(timer);
      context.runOnContext(w -> closed(name[0]));
    });
  }

  private void closed(String guest) {
    if (!reported.contains(guest)) {
      all.tryFail(new IOException("lost " + guest + " before it reported"));
    } else if (++closed == NodeDemo.NODES.size() - 1) {
      all.tryComplete();
    }
  }

  /** A guest has written into its slot. */
  private void result(RegionNotification notification) {
    byte[] bytes = results.segment().asSlice(notification.offset(), notification.length()).toArray(ValueLayout.JAVA_BYTE);
    JsonObject result = Buffer.buffer(bytes).toJsonObject();
    String guest = NodeDemo.NODES.get((int) notification.tag());
    reported.add(guest);
    System.out.println(guest + " has written its result: " + result.encode());
  }

  /** Reads the file into the region, and says how far it is. @return the file's SHA-256 */
  private String fill(MemorySegment region) throws IOException, NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    long start = System.nanoTime();
    long told = start;
    try (FileChannel file = FileChannel.open(arguments.file)) {
      for (long at = 0; at < region.byteSize();) {
        ByteBuffer chunk = region.asSlice(at, Math.min(CHUNK, region.byteSize() - at)).asByteBuffer();
        if (file.read(chunk) < 0) {
          throw new IOException(arguments.file + " has become shorter");
        }
        digest.update(chunk.flip());
        at += chunk.limit();
        percent = (int) (at * 100 / region.byteSize());
        if (System.nanoTime() - told > 1_000_000_000L || at == region.byteSize()) {
          told = System.nanoTime();
          System.out.println(new Progress(percent, at / 1048576.0 / ((told - start) / 1e9)).print());
        }
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
