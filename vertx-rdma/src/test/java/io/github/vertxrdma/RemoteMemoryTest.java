package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.Pattern;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@OverFabrics(value = {"memory", "nio", "shm", "tcp", "rxm", "verbs:nic"},
  full = {FabricPair.ONE_RDM_LOOP, MemoryVariants.INTRODUCED, "verbs:mlx5", "verbs:connectib", "verbs:iwarp",
    "verbs:irdma", "verbs:bnxt", "verbs:ib", "verbs:roce-multiport",
    "verbs:tiny", "verbs:erdma", "verbs:t6"})
@Timeout(120)
class RemoteMemoryTest extends FabricPair {

  private static byte[] bytes(int seed, int size) {
    return Pattern.bytes(seed, size);
  }

  private MemoryRegion share(String name, long size) throws Exception {
    return await(server.createRegion(new RegionOptions().setName(name).setSize(size)
      .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC)));
  }

  @Test
  void aFileIsReadWhole() throws Exception {
    byte[] content = bytes(1, 3_000_001);
    Path file = Files.write(folder.resolve("content"), content);
    await(server.createRegion(new RegionOptions().setName("file").setFile(file.toString()).setAccess(RegionAccess.READ)));
    RemoteRegion remote = await(client.openRegion("file"));
    assertEquals(content.length, remote.size());
    assertArrayEquals(content, await(remote.read(0, content.length)).getBytes());
    assertEquals(Reason.ACCESS_DENIED, reason(remote.write(0, Buffer.buffer("x"))));
    assertEquals(Reason.OUT_OF_RANGE, reason(remote.read(content.length - 1, 2)));
  }

  @Test
  void memoryOfTheApplicationIsUsedWhereItLies() throws Exception {
    try (Arena arena = Arena.ofShared()) {
      int size = 300_000;
      MemorySegment own = arena.allocate(size + 8, 8).asSlice(8);
      MemorySegment.copy(bytes(6, size), 0, own, ValueLayout.JAVA_BYTE, 0, size);
      MemoryRegion region = await(server.createRegion(own, new RegionOptions().setName("given")
        .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC)));
      RemoteRegion remote = await(client.openRegion("given"));
      assertArrayEquals(bytes(6, size), await(remote.read(0, size)).getBytes());
      await(remote.write(1_000, Buffer.buffer(bytes(7, 200_000))));
      assertArrayEquals(bytes(7, 200_000), own.asSlice(1_000, 200_000).toArray(ValueLayout.JAVA_BYTE));
      own.set(ValueLayout.JAVA_LONG, 0, 41);
      assertEquals(41, await(remote.fetchAndAdd(0, 1)));
      assertEquals(42, region.getAcquire(0));
      await(remote.close());
      await(region.close());
      own.fill((byte) 0);
    }
  }

  @Test
  void aWriteIsThereWhenItCompletes() throws Exception {
    MemoryRegion region = share("written", 1 << 20);
    RemoteRegion remote = await(client.openRegion("written"));
    for (int size : new int[] {1, 64, 4096, 1 << 20}) {
      byte[] data = bytes(size, size);
      await(remote.write((1 << 20) - size, Buffer.buffer(data)));
      byte[] there = region.segment().asSlice((1 << 20) - size, size).toArray(ValueLayout.JAVA_BYTE);
      assertArrayEquals(data, there, size + " bytes");
    }
  }

  @Test
  void ownerIsNotifiedOfAWriteWithTheDataInPlace() throws Exception {
    MemoryRegion region = share("notified", 8 << 20);
    RemoteRegion remote = await(client.openRegion("notified"));
    List<Long> tags = new ArrayList<>();
    Promise<Void> all = Promise.promise();
    int n = 200;
    region.notificationHandler(notification -> {
      byte[] there = region.segment().asSlice(notification.offset(), notification.length()).toArray(ValueLayout.JAVA_BYTE);
      for (byte b : there) {
        if (b != (byte) notification.tag()) {
          all.tryFail("the data of write " + notification.tag() + " was not there");
          return;
        }
      }
      tags.add(notification.tag());
      if (tags.size() == n) {
        all.tryComplete();
      }
    });
    List<Future<Void>> writes = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      byte[] data = new byte[1 + (i * 331) % 40_000];
      Arrays.fill(data, (byte) i);
      writes.add(remote.writeNotify(i * 40_000L, Buffer.buffer(data), i));
    }
    await(all.future());
    await(Future.all(writes));
    for (int i = 0; i < n; i++) {
      assertEquals(i, tags.get(i));
    }
  }

  @Test
  void additionsOfAllAddUp() throws Exception {
    MemoryRegion region = share("counter", 64);
    RemoteRegion one = await(client.openRegion("counter"));
    RemoteRegion own = await(server.openRegion("counter"));
    List<Future<Long>> additions = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      additions.add(one.fetchAndAdd(8, 1));
      additions.add(own.fetchAndAdd(8, 2));
    }
    await(Future.all(additions));
    assertEquals(1500, await(one.fetchAndAdd(8, 0)));
    assertEquals(1500, region.getAcquire(8));
    assertTrue(await(one.compareAndSet(8, 1500, 7)));
    assertEquals(7, await(one.compareAndExchange(8, 1, 9)));
    assertEquals(Reason.OUT_OF_RANGE, reason(one.fetchAndAdd(4, 1)));
  }

  /** The owner executes atomics of the first region, and no process may use the second: an adapter may have to register neither. */
  @Test
  void regionsWithoutRightsOfTheFabricOpenAgainAndAgain() throws Exception {
    for (int i = 0; i < 3; i++) {
      MemoryRegion words = await(server.createRegion(new RegionOptions().setName("words").setSize(64).setAccess(RegionAccess.ATOMIC)));
      MemoryRegion closed = await(server.createRegion(new RegionOptions().setName("none").setSize(64).setAccess(Set.of())));
      RemoteRegion remote = await(client.openRegion("words"));
      assertEquals(0, await(remote.fetchAndAdd(8, 5)));
      assertEquals(5, words.getAcquire(8));
      RemoteRegion refused = await(client.openRegion("none"));
      assertEquals(Reason.ACCESS_DENIED, reason(refused.read(0, 8)));
      assertEquals(Reason.ACCESS_DENIED, reason(refused.fetchAndAdd(8, 1)));
      await(refused.close());
      await(remote.close());
      await(words.close());
      await(closed.close());
    }
  }

  @Test
  void memoryIsGrantedToOnePeer() throws Exception {
    MemoryRegion region = await(server.createRegion(new RegionOptions().setSize(4096).setAccess(RegionAccess.READ)));
    MemorySegment.copy(bytes(5, 4096), 0, region.segment(), ValueLayout.JAVA_BYTE, 0, 4096);
    await(server.createServer().connectHandler(c -> c.grant(region, Set.of(RegionAccess.READ), null)).listen("owner"));
    Promise<RemoteRegion> granted = Promise.promise();
    await(client.connect("owner")).grantHandler(granted::tryComplete);
    assertArrayEquals(bytes(5, 4096), await(await(granted.future()).read(0, 4096)).getBytes());
  }

  @Test
  void aRevokedRegionIsNamed() throws Exception {
    MemoryRegion region = share("revoked", 4096);
    RemoteRegion remote = await(client.openRegion("revoked"));
    await(remote.read(0, 10));
    await(region.revoke());
    assertEquals(Reason.REVOKED, reason(remote.read(0, 10)));
  }

  @Test
  void missingRegionIsNamed() {
    assertEquals(Reason.NOT_FOUND, reason(client.openRegion("nothing", new RegionOpenOptions().setLookupTimeout(Duration.ofMillis(300)))));
  }

  @Test
  void aRecordIsReadWholeWhileItChanges() throws Exception {
    MemoryRegion region = share("record", 1 << 16);
    region.putRecord(0, Buffer.buffer(bytes(0, 30_000)));
    RemoteRegion remote = await(client.openRegion("record"));
    long end = System.nanoTime() + 300_000_000L;
    Thread writer = Thread.ofPlatform().start(() -> {
      for (int i = 1; System.nanoTime() < end; i++) {
        region.putRecord(0, Buffer.buffer(bytes(i % 10, 30_000)));
      }
    });
    while (System.nanoTime() < end) {
      byte[] read = await(remote.readRecord(0, 30_000)).getBytes();
      boolean known = false;
      for (int i = 0; i < 10 && !known; i++) {
        known = Arrays.equals(read, bytes(i, 30_000));
      }
      assertTrue(known, "a torn record");
    }
    writer.join();
  }
}
