package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.RegionAccess.ATOMIC;
import static io.github.vertxrdma.RegionAccess.READ;
import static io.github.vertxrdma.RegionAccess.WRITE;
import static io.github.vertxrdma.impl.region.Failures.assertFails;
import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionEnd;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GrantTest extends RegionPair {
  private final BlockingQueue<RemoteRegion> granted = new LinkedBlockingQueue<>();

  private Future<RegionGrant> grant(MemoryRegion region, Duration lifetime, RegionAccess... access) {
    return far.peer.grant(Caller.of(vertx.getOrCreateContext()), region, Set.of(access), lifetime);
  }

  private RemoteRegion granted() throws Exception {
    near.peer.grantHandler(Caller.of(vertx.getOrCreateContext()), granted::add);
    return granted.poll(20, TimeUnit.SECONDS);
  }

  private OwnedRegion scratch() throws Exception {
    return owner.share(new RegionOptions().setSize(4096));
  }

  @Test
  void aRegionOfAnotherIsNotGranted() throws Exception {
    OwnedRegion foreign = user.share(new RegionOptions().setSize(64));
    assertFails(Reason.UNSUPPORTED, grant(foreign, null, READ));
    MemoryRegion unknown = (MemoryRegion) Proxy.newProxyInstance(GrantTest.class.getClassLoader(), new Class<?>[] {MemoryRegion.class},
      (proxy, method, args) -> method.getName().equals("toString") ? "a region of another product" : null);
    RdmaException refused = assertFails(Reason.UNSUPPORTED, grant(unknown, null, READ));
    assertTrue(refused.getMessage().startsWith("a region of another product cannot be granted to node user"),
      refused.getMessage());
  }

  @Test
  void aRegionIsGrantedWithJustTheRightsGiven() throws Exception {
    OwnedRegion scratch = scratch();
    RegionGrant grant = await(grant(scratch, null, READ));
    assertEquals("user", grant.holder().nodeId());
    assertTrue(grant.holder().granted());
    RemoteRegion remote = granted();
    assertEquals(4096, remote.size());
    assertEquals(Set.of(READ), remote.access());
    scratch.segment().set(ValueLayout.JAVA_BYTE, 5, (byte) 55);
    assertEquals(55, await(remote.read(5, 1)).getByte(0));
    assertFails(Reason.ACCESS_DENIED, remote.write(0, Buffer.buffer("x")), "WRITE");
    assertFails(Reason.ACCESS_DENIED, remote.fetchAndAdd(0, 1), "ATOMIC");
  }

  @Test
  void atomicsOfGrantedMemoryAreTheOwners() throws Exception {
    OwnedRegion scratch = scratch();
    await(grant(scratch, null, READ, WRITE, ATOMIC));
    RemoteRegion remote = granted();
    assertEquals(0, await(remote.fetchAndAdd(8, 2)));
    assertEquals(2, await(scratch.fetchAndAdd(8, 2)));
    assertEquals(4, await(remote.fetchAndAdd(8, 0)));
  }

  @Test
  void memoryThatIsReadOnlyIsGrantedForReadingAlone() throws Exception {
    try (Arena arena = Arena.ofShared()) {
      OwnedRegion fixed = await(owner.registry.share(Caller.of(vertx.getOrCreateContext()), new RegionOptions().setAccess(READ),
        arena.allocate(64, 8).asReadOnly(), owner.domains));
      assertFails(Reason.ACCESS_DENIED, grant(fixed, null, READ, WRITE), "read-only");
      assertFails(Reason.ACCESS_DENIED, grant(fixed, null, ATOMIC), "read-only");
      assertFails(Reason.ACCESS_DENIED, fixed.fetchAndAdd(0, 1), "read-only");
      assertFails(Reason.ACCESS_DENIED, fixed.compareAndExchange(0, 0, 1), "read-only");
      assertEquals(Reason.ACCESS_DENIED, assertThrows(RdmaException.class, () -> fixed.putRecord(0, Buffer.buffer("x"))).reason());
      await(grant(fixed, null, READ));
      assertEquals(64, await(granted().read(0, 64)).length());
      await(fixed.close());
    }
  }

  @Test
  void oneMayBeForAllTime() throws Exception {
    OwnedRegion scratch = scratch();
    await(grant(scratch, ChronoUnit.FOREVER.getDuration(), READ));
    await(grant(scratch, null, READ));
  }

  @Test
  void aGrantEndsWithItsLifetime() throws Exception {
    OwnedRegion scratch = scratch();
    await(grant(scratch, Duration.ofMillis(50), READ));
    RemoteRegion remote = granted();
    AtomicReference<RegionEnd> told = new AtomicReference<>();
    remote.closeHandler(told::set);
    until("it was taken back", () -> told.get() == RegionEnd.REVOKED);
    assertFails(Reason.REVOKED, remote.read(0, 1), "owner");
    until("nobody holds it", () -> scratch.holders().isEmpty());
  }

  @Test
  void aGrantIsTakenBackAloneAndItsKeyWithIt() throws Exception {
    // All other registered memory has whole pages, so the remainder counts the keys of this region.
    OwnedRegion scratch = owner.share(new RegionOptions().setSize(1001));
    RegionGrant one = await(grant(scratch, null, READ));
    RemoteRegion first = granted();
    await(grant(scratch, null, READ));
    RemoteRegion second = granted();
    assertEquals(2 * 1001, fabric.registeredBytes() % 4096);
    await(one.revoke(Duration.ofSeconds(20)));
    assertEquals(1001, fabric.registeredBytes() % 4096);
    assertFails(Reason.REVOKED, first.read(0, 1));
    assertEquals(1, await(second.read(0, 1)).length());
    await(one.revoke(Duration.ofSeconds(20)));
    await(second.close());
    until("its key is gone as well", () -> fabric.registeredBytes() % 4096 == 0);
  }

  @Test
  void aGrantEndsWithTheConnection() throws Exception {
    OwnedRegion scratch = scratch();
    int before = fabric.openRegions();
    await(grant(scratch, null, READ, WRITE));
    near.link.loop().eventLoop().execute(() -> near.link.fail(new RdmaException(Reason.OTHER, "broken on purpose")));
    until("its key is gone", () -> fabric.openRegions() == before && scratch.holders().isEmpty());
    assertFails(Reason.CONNECTION_LOST, grant(scratch, null, READ));
  }

  @Test
  void aClosedRegionIsNotGranted() throws Exception {
    OwnedRegion scratch = scratch();
    await(scratch.close());
    assertFails(Reason.CLOSED, grant(scratch, null, READ));
    OwnedRegion revoked = scratch();
    await(revoked.revoke(Duration.ofMillis(1000)));
    assertFails(Reason.REVOKED, grant(revoked, null, READ));
  }

  @Test
  void closingTheRegionTakesGrantsBack() throws Exception {
    OwnedRegion scratch = scratch();
    await(grant(scratch, null, READ));
    RemoteRegion remote = granted();
    await(scratch.close());
    assertFails(Reason.REVOKED, remote.read(0, 1));
  }
}
