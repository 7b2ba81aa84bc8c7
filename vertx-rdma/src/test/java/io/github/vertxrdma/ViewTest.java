package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.support.Await;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ViewTest extends FabricPair {
  private static final int SIZE = 1 << 20;

  @Override
  String fabric() {
    return "shm";
  }

  private MemoryRegion share(RegionAccess... access) throws Exception {
    return await(server.createRegion(new RegionOptions().setName("seen").setSize(SIZE).setAccess(access)));
  }

  private static void assertEnds(MemorySegment view) {
    Await.until("the view has ended", () -> !view.scope().isAlive());
    assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_BYTE, 0));
    assertThrows(IllegalStateException.class, () -> view.fill((byte) 1));
  }

  @Test
  void viewIsTheOwnersMemory() throws Exception {
    MemoryRegion region = share(RegionAccess.READ, RegionAccess.WRITE);
    RemoteRegion remote = await(client.openRegion("seen"));
    MemorySegment view = await(remote.view(4096, 8192));
    assertEquals(8192, view.byteSize());
    region.segment().set(ValueLayout.JAVA_LONG, 4096 + 8, 42);
    assertEquals(42, view.get(ValueLayout.JAVA_LONG, 8));
    view.set(ValueLayout.JAVA_LONG, 16, 43);
    assertEquals(43, region.segment().get(ValueLayout.JAVA_LONG, 4096 + 16));
    assertEquals(43, await(remote.read(4096 + 16, 8)).getLongLE(0));
    assertEquals(Reason.OUT_OF_RANGE, reason(remote.view(SIZE - 1, 2)));
    assertEquals(Reason.OUT_OF_RANGE, reason(remote.view(0, 0)));
  }

  @Test
  void viewForReadingCannotBeWritten() throws Exception {
    share(RegionAccess.READ);
    assertTrue(await(await(client.openRegion("seen")).view(0, SIZE)).isReadOnly());
  }

  @Test
  void theOwnerTakesItBack() throws Exception {
    MemoryRegion region = share(RegionAccess.READ, RegionAccess.WRITE);
    MemorySegment view = await(await(client.openRegion("seen")).view(0, SIZE));
    await(region.revoke());
    assertFalse(view.scope().isAlive(), "a holder acknowledges when it looks no more");
    assertEnds(view);
  }

  @Test
  void thisSideClosesTheRegion() throws Exception {
    share(RegionAccess.READ, RegionAccess.WRITE);
    RemoteRegion remote = await(client.openRegion("seen"));
    MemorySegment view = await(remote.view(0, SIZE));
    await(remote.close());
    assertEnds(view);
    assertEquals(Reason.CLOSED, reason(remote.view(0, 1)));
  }

  @Test
  void theOwnerIsGone() throws Exception {
    share(RegionAccess.READ, RegionAccess.WRITE);
    MemorySegment view = await(await(client.openRegion("seen")).view(0, SIZE));
    await(serverVertx.close());
    assertEnds(view);
  }

  @Test
  void readerOnAnotherThreadIsNotifiedOfTheEnd() throws Exception {
    MemoryRegion region = share(RegionAccess.READ);
    MemorySegment view = await(await(client.openRegion("seen")).view(0, SIZE));
    AtomicReference<Throwable> heard = new AtomicReference<>();
    AtomicReference<Long> sum = new AtomicReference<>(0L);
    Thread reader = Thread.ofPlatform().start(() -> {
      try {
        while (true) {
          long all = 0;
          for (long at = 0; at < SIZE; at += Long.BYTES) {
            all += view.get(ValueLayout.JAVA_LONG, at);
          }
          sum.set(sum.get() + all + 1);
        }
      } catch (Throwable t) {
        heard.set(t);
      }
    });
    Await.until("it reads", () -> sum.get() > 10);
    await(region.revoke());
    reader.join();
    assertTrue(heard.get() instanceof IllegalStateException, String.valueOf(heard.get()));
  }

  /** The file also contains memory of the other region, which a peer may not even open. */
  @Test
  void partOfAnotherRegionIsReadButNotMapped() throws Exception {
    MemoryRegion pool = share(RegionAccess.READ);
    pool.write(0, Buffer.buffer("public"));
    await(server.createRegion(pool.segment().asSlice(0, 4096), new RegionOptions().setName("part").setAccess(RegionAccess.READ)));
    RemoteRegion remote = await(client.openRegion("part"));
    assertEquals("public", await(remote.read(0, 6)).toString());
    assertEquals(Reason.UNSUPPORTED, reason(remote.view(0, 4096)));
  }

  @Test
  void whoMayOnlyReadWhatOthersWriteIsReadFor() throws Exception {
    MemoryRegion region = await(server.createRegion(new RegionOptions().setSize(SIZE).setAccess(RegionAccess.READ, RegionAccess.WRITE)));
    region.segment().set(ValueLayout.JAVA_BYTE, 7, (byte) 9);
    await(server.createServer().connectHandler(c -> c.grant(region, Set.of(RegionAccess.READ), null)).listen("owner"));
    Promise<RemoteRegion> granted = Promise.promise();
    await(client.connect("owner")).grantHandler(granted::tryComplete);
    RemoteRegion remote = await(granted.future());
    assertEquals(Buffer.buffer(new byte[] {9}), await(remote.read(7, 1)));
    String refusal = assertThrows(ExecutionException.class, () -> await(remote.view(0, 10))).getCause().getMessage();
    assertTrue(refusal.contains("view of 10 bytes at offset 0") && refusal.contains("does not permit other processes to map"), refusal);
  }

  @Test
  void fabricsThatMapNothingRefuse() throws Exception {
    Rdma over = Rdma.create(clientVertx, options().setFabric("nio"));
    Rdma shares = Rdma.create(serverVertx, options().setFabric("nio"));
    await(shares.createRegion(new RegionOptions().setName("farther").setSize(64).setAccess(RegionAccess.READ)));
    RemoteRegion remote = await(over.openRegion("farther"));
    assertEquals(Reason.UNSUPPORTED, reason(remote.view(0, 8)));
  }
}
