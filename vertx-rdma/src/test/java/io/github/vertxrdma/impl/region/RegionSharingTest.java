package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.ATOMIC;
import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;
import static io.github.vertxrdma.impl.region.Failures.assertFails;
import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.provider.Capabilities.Order;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RegionSharingTest {
  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private final InMemoryFabric one = InMemoryFabric.create("one", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final InMemoryFabric two = InMemoryFabric.create("two", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final List<TestNode> nodes = new ArrayList<>();
  private final AtomicInteger closings = new AtomicInteger();

  private TestNode node(String name) throws Exception {
    TestNode node = new TestNode(vertx, name, new RegionRegistry.Listener() {
      @Override
      public Future<Void> closing(OwnedRegion region, long timeoutMillis) {
        closings.incrementAndGet();
        return Future.failedFuture("the directory is not there");
      }
    }, one.device(), two.device());
    nodes.add(node);
    return node;
  }

  @AfterEach
  void stop() throws Exception {
    for (TestNode node : nodes) {
      node.close();
    }
    await(vertx.close());
    assertEquals(0, one.registeredBytes() + two.registeredBytes(), "bytes still registered");
  }

  @Test
  void optionsAreJson() {
    RegionOptions options = new RegionOptions().setName("table").setSize(123).setFile("/a/file").setAccess(READ, ATOMIC)
      .addFabric("tcp").addFabric("shm").setOwnerAtomics(true);
    RegionOptions read = new RegionOptions(options.toJson());
    for (RegionOptions copy : List.of(read, new RegionOptions(options))) {
      assertEquals(options.toJson(), copy.toJson());
      assertEquals(Set.of(READ, ATOMIC), copy.getAccess());
      assertEquals(List.of("tcp", "shm"), copy.getFabrics());
      assertEquals(123, copy.getSize());
      assertEquals("/a/file", copy.getFile());
      assertTrue(copy.isOwnerAtomics());
    }
    assertThrows(IllegalArgumentException.class, () -> new RegionOptions().setSize(-1));
  }

  @Test
  void aFileIsCopiedIn(@TempDir Path folder) throws Exception {
    byte[] bytes = new byte[10_000_000];
    new Random(5).nextBytes(bytes);
    Path file = Files.write(folder.resolve("data"), bytes);
    TestNode node = node("owner");
    OwnedRegion whole = node.share(new RegionOptions().setName("file").setFile(file.toString()).setAccess(READ));
    assertEquals(bytes.length, whole.size());
    assertArrayEquals(bytes, whole.segment().toArray(ValueLayout.JAVA_BYTE));
    OwnedRegion larger = node.share(new RegionOptions().setName("larger").setFile(file.toString()).setSize(bytes.length + 10));
    assertEquals(0, larger.segment().get(ValueLayout.JAVA_BYTE, bytes.length));
    whole.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) ~bytes[0]);
    assertArrayEquals(bytes, Files.readAllBytes(file));
    assertFails(Reason.OUT_OF_RANGE, tryShare(node, new RegionOptions().setName("small").setFile(file.toString()).setSize(5)), "'small'",
      file.toString());
    assertFails(Reason.NOT_FOUND, tryShare(node, new RegionOptions().setName("missing").setFile(folder + "/none")), "'missing'", "none");
    assertFails(Reason.OUT_OF_RANGE, tryShare(node, new RegionOptions().setName("nothing")), "'nothing'", "size");
  }

  private Future<OwnedRegion> tryShare(TestNode node, RegionOptions options) {
    return node.registry.share(Caller.of(vertx.getOrCreateContext()), options, null, node.domains);
  }

  @Test
  void itIsExposedWhereTheOptionsSay() throws Exception {
    TestNode owner = node("owner");
    TestNode user = node("user");
    OwnedRegion both = owner.share("both", 64, READ);
    OwnedRegion second = owner.share(new RegionOptions().setName("second").setSize(64).setAccess(READ).addFabric("two"));
    assertEquals(Set.of("one", "two"), both.tokens().keySet());
    assertEquals(Set.of("two"), second.tokens().keySet());
    assertEquals(RegionEntry.NONE, both.authority());
    TestNode.End overOne = user.connect(owner, 0)[0];
    TestNode.End overTwo = user.connect(owner, 1)[0];
    await(overOne.open(both).read(0, 1));
    await(overTwo.open(both).read(0, 1));
    RemoteRegion remote = overTwo.open(second);
    await(remote.read(0, 1));
    assertEquals("two", remote.fabric());
    assertFails(Reason.NOT_FOUND, overOne.tryOpen(second.id()), "'second'", "one");
    assertFails(Reason.UNREACHABLE, tryShare(owner, new RegionOptions().setName("x").setSize(1).addFabric("three")), "three", "one", "two");
    assertEquals(List.of("one", "two"), both.holders().stream().map(h -> h.device()).toList());
  }

  @Test
  void aDeviceThatRefusesIsLeftOutUnlessItWasNamed() throws Exception {
    InMemoryFabric small = InMemoryFabric.create("small", InMemoryFabric.CAPABILITIES,
      new Limits(64 << 20, 1L << 40, 256, 4096, 1 << 16, 8, 64, 56, 4 << 20, 1 << 20, 1 << 20, 8));
    TestNode node = new TestNode(vertx, "owner", RegionRegistry.Listener.NONE, one.device(), small.device());
    nodes.add(node);
    OwnedRegion region = node.share("large", 5 << 20, READ, WRITE);
    assertEquals(Set.of("one"), region.tokens().keySet());
    assertFails(Reason.LIMIT, tryShare(node, new RegionOptions().setName("forced").setSize(5 << 20).addFabric("small")), "'forced'",
      "small", String.valueOf(5 << 20));
  }

  @Test
  void handlersAndFuturesKeepToTheirContexts() throws Exception {
    TestNode owner = node("owner");
    TestNode user = node("user");
    ContextInternal worker = vertx.contextBuilder().withThreadingModel(ThreadingModel.WORKER).build();
    OwnedRegion region = await(
      owner.registry.share(Caller.of(worker), new RegionOptions().setName("table").setSize(64).setAccess(READ, WRITE), null,
        owner.domains));
    CompletableFuture<Context> notified = new CompletableFuture<>();
    region.notificationHandler((RegionNotification n) -> notified.complete(Vertx.currentContext()));
    RemoteRegion remote = user.connect(owner, 0)[0].open(region);
    CompletableFuture<Context> completed = new CompletableFuture<>();
    ContextInternal caller = vertx.contextBuilder().withThreadingModel(ThreadingModel.VIRTUAL_THREAD).build();
    caller.runOnContext(v -> {
      remote.writeNotify(0, Buffer.buffer("x"), 1).toCompletionStage();
      Future.await(remote.read(0, 1));
      remote.read(0, 1).onComplete(r -> completed.complete(Vertx.currentContext()));
    });
    assertEquals(worker, notified.get(20, TimeUnit.SECONDS));
    assertEquals(caller, completed.get(20, TimeUnit.SECONDS));
  }

  @Test
  void regionIsWithdrawnOnceAndFreedByItsClose() throws Exception {
    TestNode owner = node("owner");
    OwnedRegion region = owner.share("table", 64, READ);
    assertEquals(region, owner.registry.find(region.id()));
    await(region.revoke(Duration.ofMillis(1000)));
    assertEquals(1, closings.get());
    assertEquals(null, owner.registry.find(region.id()));
    assertFalse(owner.registry.regions().contains(region));
    region.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
    await(region.close());
    await(region.close());
    assertEquals(1, closings.get());
    assertThrows(IllegalStateException.class, () -> region.segment().get(ValueLayout.JAVA_BYTE, 0));
    assertEquals(Reason.CLOSED, assertThrows(RdmaException.class, () -> region.putRecord(0, Buffer.buffer("x"))).reason());
    assertFails(Reason.CLOSED, region.fetchAndAdd(0, 1));
  }

  @Test
  void aFabricThatProvesNoWriteIsRefusedByName() throws Exception {
    Set<Order> orders = EnumSet.copyOf(InMemoryFabric.CAPABILITIES.orders());
    orders.remove(Order.SEND_AFTER_WRITE);
    InMemoryFabric loose = InMemoryFabric.create("loose", InMemoryFabric.CAPABILITIES.toBuilder().orders(orders).deliveryComplete(false)
      .build(), InMemoryFabric.LIMITS);
    TestNode owner = new TestNode(vertx, "owner", RegionRegistry.Listener.NONE, loose.device());
    nodes.add(owner);
    TestNode user = new TestNode(vertx, "user", RegionRegistry.Listener.NONE, loose.device());
    nodes.add(user);
    RemoteRegion remote = user.connect(owner, 0)[0].open(owner.share("table", 64, READ, WRITE, ATOMIC));
    assertFails(Reason.UNSUPPORTED, remote.write(0, Buffer.buffer("x")), "loose", "'table'");
    assertFails(Reason.UNSUPPORTED, remote.writeNotify(0, Buffer.buffer("x"), 1), "loose");
    assertFails(Reason.UNSUPPORTED, remote.write(0, user.share(new RegionOptions().setSize(64)), 0, 8), "loose");
    assertEquals(8, await(remote.read(0, 8)).length());
    assertEquals(0, await(remote.fetchAndAdd(0, 1)));
    assertTrue(remote.strategies().contains("write: none"), remote.strategies());
  }

  @Test
  void strategiesAreOfWhatItIsSharedFor() throws Exception {
    InMemoryFabric fabric = InMemoryFabric.create("plain", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    TestNode owner = new TestNode(vertx, "owner", RegionRegistry.Listener.NONE, fabric.device());
    nodes.add(owner);
    TestNode user = new TestNode(vertx, "user", RegionRegistry.Listener.NONE, fabric.device());
    nodes.add(user);
    TestNode.End peer = user.connect(owner, 0)[0];
    assertEquals("not shared for writes or atomics", peer.open(owner.share("file", 64, READ)).strategies());
    String written = peer.open(owner.share("board", 64, WRITE)).strategies();
    assertTrue(written.startsWith("write: ") && written.contains("; notified write: ")
      && written.endsWith("; not shared for reads or atomics"), written);
    String all = peer.open(owner.share("table", 64, READ, WRITE, ATOMIC)).strategies();
    assertTrue(all.contains("; atomics: by the owner") && !all.contains("not shared"), all);
  }

  @Test
  void aTornRecordIsSeen() {
    String before = "the old state";
    String after = "the new one, longer";
    byte[] old = record(1, before);
    byte[] fresh = record(2, after);
    assertEquals(before.length(), PublishedRecord.check(old));
    assertEquals(after.length(), PublishedRecord.check(fresh));
    int torn = 0;
    for (int cut = 1; cut < PublishedRecord.HEADER + after.length(); cut++) {
      byte[] oldFirst = fresh.clone();
      System.arraycopy(old, 0, oldFirst, 0, cut);
      byte[] freshFirst = old.clone();
      System.arraycopy(fresh, 0, freshFirst, 0, cut);
      for (byte[] bytes : List.of(oldFirst, freshFirst)) {
        if (!isWhole(bytes, old, before.length()) && !isWhole(bytes, fresh, after.length())) {
          assertEquals(PublishedRecord.TORN, PublishedRecord.check(bytes), "cut at " + cut);
          torn++;
        }
      }
    }
    assertTrue(torn > 50, "only " + torn);
    assertEquals(PublishedRecord.EMPTY, PublishedRecord.check(new byte[100]));
    assertEquals(PublishedRecord.TOO_LARGE, PublishedRecord.check(Arrays.copyOf(fresh, 20)));
  }

  private static byte[] record(int changes, String data) {
    MemorySegment memory = Arena.ofAuto().allocate(64, 8);
    for (int i = 0; i < changes; i++) {
      PublishedRecord.write(memory, 0, data.getBytes());
    }
    return memory.toArray(ValueLayout.JAVA_BYTE);
  }

  private static boolean isWhole(byte[] bytes, byte[] record, int length) {
    int end = PublishedRecord.HEADER + length;
    return Arrays.equals(bytes, 0, end, record, 0, end);
  }

  @Test
  void recordsAreBounded() throws Exception {
    TestNode owner = node("owner");
    OwnedRegion region = owner.share("records", 128, READ);
    RemoteRegion remote = node("user").connect(owner, 0)[0].open(region);
    assertNull(await(remote.readRecord(0, 100)));
    assertNull(region.getRecord(0));
    region.putRecord(0, Buffer.buffer("hello"));
    assertEquals("hello", region.getRecord(0).toString());
    assertEquals("hello", await(remote.readRecord(0, 100)).toString());
    assertEquals("hello", await(remote.readRecord(0, 5)).toString());
    assertFails(Reason.TOO_LARGE, remote.readRecord(0, 4), "4");
    region.putRecord(112, Buffer.buffer());
    assertEquals(0, await(remote.readRecord(112, 100)).length());
    assertEquals(0, region.getRecord(112).length());
    assertThrows(RdmaException.class, () -> region.getRecord(120));
    assertThrows(RdmaException.class, () -> region.putRecord(112, Buffer.buffer("x")));
    assertThrows(RdmaException.class, () -> region.putRecord(4, Buffer.buffer("x")));
    region.segment().set(ValueLayout.JAVA_LONG, 0, 7);
    Future<Buffer> read = remote.readRecord(0, 100);
    await(remote.readRecord(112, 100));
    assertFalse(read.isComplete());
    region.putRecord(0, Buffer.buffer("whole again"));
    assertEquals("whole again", await(read).toString());
    region.segment().set(ValueLayout.JAVA_LONG, 0, 7);
    assertFails(Reason.TIMEOUT, remote.withTimeout(Duration.ofMillis(100)).readRecord(0, 100), "torn");
  }
}
