package io.github.vertxrdma.demo;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Notification;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
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

  private final DemoNode node;
  /** Of the results region: a result that a guest has written is heard here before the guest's end. */
  private final Context context;
  private final ShareArguments arguments;
  private final Set<String> reported = new HashSet<>();
  private final Promise<Void> all = Promise.promise();
  private MemoryRegion results;
  private int closed;

  Owner(DemoNode node, ShareArguments arguments) {
    this.node = node;
    this.context = node.vertx().getOrCreateContext();
    this.arguments = arguments;
  }

  static int slot(String guest) {
    return SLOT_SIZE * (NodeDemo.NODES.indexOf(guest));
  }

  void run() throws Exception {
    String sha = sha256(arguments.file());
    System.out.println("SHA-256 " + sha);
    RegionOptions slots = new RegionOptions().setName(RESULTS).setSize((long) SLOT_SIZE * NodeDemo.NODES.size())
      .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC);
    Promise<MemoryRegion> shared = Promise.promise();
    context.runOnContext(v -> node.rdma().share(slots).onComplete(shared));
    results = DemoNode.await(shared.future());
    results.notificationHandler(this::result);
    MemoryRegion file = DemoNode.await(node.rdma().share(new RegionOptions().setName(FILE).setFile(arguments.file().toString())
      .setAccess(RegionAccess.READ)));
    System.out.println("shares region '" + FILE + "' (" + file.size() + " bytes) for reading, and '" + RESULTS
      + "' for reading, writing and atomics");
    DemoNode.await(node.rdma().createServer().connectHandler(guest -> greet(guest, sha)).listen(GREETINGS));
    // No limit here: guests may fetch as slowly as they were told to.
    all.future().toCompletionStage().toCompletableFuture().get();
    long count = DemoNode.await(node.rdma().open(RESULTS).compose(own -> own.fetchAndAdd(COUNTER, 0)));
    System.out.println("guests counted in: " + count);
    if (count != NodeDemo.NODES.size() - 1) {
      throw new IOException("the counter should be " + (NodeDemo.NODES.size() - 1));
    }
  }

  private void greet(RdmaConnection guest, String sha) {
    String[] name = {"a guest"};
    guest.handler(message -> {
      JsonObject greeting = message.toJsonObject();
      name[0] = greeting.getString("from");
      System.out.println(name[0] + " says: " + greeting.getString("words"));
      guest.write(new JsonObject().put("from", "A").put("words", "welcome, " + name[0]).put("sha256", sha).toBuffer());
    });
    guest.exceptionHandler(cause -> all.tryFail(new IOException("lost " + name[0] + ": " + cause.getMessage(), cause)));
    guest.closeHandler(v -> context.runOnContext(w -> closed(name[0])));
  }

  private void closed(String guest) {
    if (!reported.contains(guest)) {
      all.tryFail(new IOException("lost " + guest + " before it reported"));
    } else if (++closed == NodeDemo.NODES.size() - 1) {
      all.tryComplete();
    }
  }

  /** A guest has written into its slot. */
  private void result(Notification notification) {
    byte[] bytes = results.segment().asSlice(notification.offset(), notification.length()).toArray(ValueLayout.JAVA_BYTE);
    JsonObject result = Buffer.buffer(bytes).toJsonObject();
    String guest = NodeDemo.NODES.get((int) notification.tag());
    reported.add(guest);
    System.out.println(guest + " has written its result: " + result.encode());
  }

  static String sha256(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] chunk = new byte[1 << 16];
      for (int n; (n = in.read(chunk)) > 0;) {
        digest.update(chunk, 0, n);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
