package io.github.vertxrdma.cluster.impl;

import static org.junit.jupiter.api.Assertions.*;

import com.hazelcast.core.EntryEvent;
import com.hazelcast.core.EntryEventType;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.peers.DirectoryCache;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class MapMirrorTest {
  private static final long LEASE = 10_000;
  private static final long TICK = 1_000;

  private final DirectoryCache cache = new DirectoryCache();
  private final UUID member = UUID.randomUUID();
  private final NodeEntry node = NodeEntry.local("other", 7);
  private Set<UUID> members = Set.of();
  private long now = System.nanoTime();
  private final MapMirror mirror = new MapMirror(cache, "self", () -> {}, TICK, () -> now);
  private int renewals;

  private byte[] stored() {
    return stored(node);
  }

  private byte[] stored(DirectoryEntry entry) {
    return new Stored(member, false, LEASE, renewals++, entry).toBytes();
  }

  private MapMirror.Reading read(Map<String, byte[]> map) {
    mirror.begin();
    return mirror.apply(map.entrySet());
  }

  private void pass(long millis) {
    for (long passed = 0; passed < millis; passed += TICK) {
      now += TimeUnit.MILLISECONDS.toNanos(TICK);
      mirror.tick(members);
    }
  }

  private boolean isThere() {
    return cache.node("other").isPresent();
  }

  @Test
  void readWithoutAnEntryDoesNotRemoveIt() {
    read(Map.of(node.key(), stored()));
    read(Map.of());
    assertTrue(isThere());
  }

  @Test
  void leaseExpiresWithoutRenewal() {
    byte[] bytes = stored();
    read(Map.of(node.key(), bytes));
    pass(LEASE - 2_000);
    read(Map.of(node.key(), bytes));
    assertTrue(isThere());
    pass(5_000);
    assertFalse(isThere());
    read(Map.of(node.key(), bytes));
    assertFalse(isThere(), "the same bytes are no sign of life");
    read(Map.of(node.key(), stored()));
    assertTrue(isThere(), "renewed");
    pass(LEASE - 2_000);
    read(Map.of(node.key(), stored()));
    pass(LEASE - 2_000);
    assertTrue(isThere(), "renewed in time");
  }

  private final ServiceEntry service = new ServiceEntry("orders", "other", 7, 0, List.of(), new JsonObject());

  private boolean isOffered() {
    return !cache.services("orders").isEmpty();
  }

  @Test
  void entriesLiveAsLongAsTheirNode() {
    byte[] bytes = stored(service);
    for (int i = 0; i < 5; i++) {
      assertEquals(Map.of(), read(Map.of(node.key(), stored(), service.key(), bytes)).abandoned());
      pass(LEASE / 2);
      assertTrue(isOffered(), "its node was renewed");
    }
    pass(LEASE);
    assertFalse(isOffered());
    read(Map.of(node.key(), stored(), service.key(), bytes));
    assertTrue(isOffered(), "they come back with it");
    mirror.memberGone(member);
    assertFalse(isOffered());
  }

  /** The event of its removal was lost, while a client had no connection. */
  @Test
  void entryMissingFromReadsForALeaseIsRemoved() {
    byte[] bytes = stored(service);
    read(Map.of(node.key(), stored(), service.key(), bytes));
    for (int i = 0; i < 3; i++) {
      read(Map.of(node.key(), stored()));
      pass(LEASE - 2_000);
      read(Map.of(node.key(), stored()));
      assertTrue(isOffered(), "its owner may put it back");
      read(Map.of(node.key(), stored(), service.key(), bytes));
      pass(4_000);
    }
    read(Map.of(node.key(), stored()));
    pass(LEASE / 2);
    read(Map.of(node.key(), stored()));
    assertTrue(isOffered());
    pass(LEASE / 2);
    read(Map.of(node.key(), stored()));
    assertTrue(isThere());
    assertFalse(isOffered(), "nobody has put it back");
    read(Map.of(node.key(), stored(), service.key(), bytes));
    assertTrue(isOffered(), "published again");
  }

  @Test
  void entriesWithoutTheirNodeAreAbandonedAfterALease() {
    byte[] bytes = stored(service);
    Map<String, byte[]> map = Map.of(service.key(), bytes);
    assertEquals(Map.of(), read(map).abandoned());
    pass(LEASE - 2_000);
    assertEquals(Map.of(), read(map).abandoned());
    assertEquals(Map.of(), read(Map.of(node.key(), stored(), service.key(), bytes)).abandoned(), "its node is there");
    mirror.entryRemoved(new EntryEvent<>("map", null, EntryEventType.REMOVED.getType(), node.key(), null));
    pass(4_000);
    assertEquals(Map.of(), read(map).abandoned(), "its node was there within a lease");
    pass(LEASE);
    assertEquals(Set.of(service.key()), read(map).abandoned().keySet());
    read(Map.of());
    assertEquals(Map.of(), read(map).abandoned(), "it is another that has the same key");
  }

  @Test
  void nodeIsAbandonedAfterAnotherLeaseWithoutRenewal() {
    Map<String, byte[]> map = Map.of(node.key(), stored(), service.key(), stored(service));
    assertEquals(Map.of(), read(map).abandoned());
    pass(LEASE + 2_000);
    assertEquals(Map.of(), read(map).abandoned(), "it was there until now");
    pass(LEASE);
    assertEquals(map.keySet(), read(map).abandoned().keySet());
  }

  /** The node that should remove them may have died. */
  @Test
  void entriesOfALostMemberAreAbandonedAfterALease() {
    Map<String, byte[]> map = Map.of(node.key(), stored(), service.key(), stored(service));
    read(map);
    mirror.memberGone(member);
    assertEquals(Map.of(), read(map).abandoned());
    pass(LEASE);
    assertEquals(map.keySet(), read(map).abandoned().keySet());
    mirror.membersBack(Set.of(member));
    assertEquals(Map.of(), read(map).abandoned());
    assertTrue(isOffered());
  }

  @Test
  void entriesOfALostMemberThatCannotBeReadAreAbandonedToo() {
    byte[] unreadable = stored(service);
    unreadable[Stored.HEADER] = 99;
    unreadable[Stored.HEADER + 1] = 99;
    Map<String, byte[]> map = Map.of(service.key(), unreadable);
    assertEquals(Map.of(), read(map).abandoned());
    pass(2 * LEASE);
    assertEquals(Map.of(), read(map).abandoned(), "its member is there");
    mirror.memberGone(member);
    assertEquals(Map.of(), read(map).abandoned());
    pass(LEASE);
    assertEquals(map.keySet(), read(map).abandoned().keySet());
  }

  @Test
  void ownEntriesAreThoseOfTheLastRead() {
    ServiceEntry own = new ServiceEntry("orders", "self", 8, 0, List.of(), new JsonObject());
    byte[] bytes = stored(own);
    assertEquals(own, read(Map.of(own.key(), bytes)).own().get(own.key()).stored().entry());
    pass(2 * LEASE);
    assertEquals(Set.of(own.key()), read(Map.of(own.key(), bytes)).own().keySet());
    assertEquals(Map.of(), read(Map.of()).own());
    assertFalse(isOffered());
  }

  /** Events come later than the answer to the call that stored an entry. */
  @Test
  void lateEventsOfTheOwnerBeforeLeaveTheRegionOfThisNodeVisible() {
    read(Map.of(node.key(), stored()));
    RegionEntry own = new RegionEntry("table", "self", 8, 1, 4096, Set.of(), 0, RegionEntry.NONE, List.of());
    RegionEntry before = new RegionEntry("table", "other", 7, 1, 4096, Set.of(), 0, RegionEntry.NONE, List.of());
    cache.put(NodeEntry.local("self", 8));
    cache.put(own);
    mirror.entryAdded(added(before));
    assertEquals(own, cache.region("table").orElseThrow());
    mirror.entryRemoved(new EntryEvent<>("map", null, EntryEventType.REMOVED.getType(), own.key(), null));
    mirror.entryAdded(added(own));
    assertEquals(own, cache.region("table").orElseThrow());
    mirror.entryUpdated(added(before));
    assertEquals(before, cache.region("table").orElseThrow(), "the other node has taken it");
  }

  private EntryEvent<String, byte[]> added(DirectoryEntry entry) {
    return new EntryEvent<>("map", null, EntryEventType.ADDED.getType(), entry.key(), stored(entry));
  }

  /** Hazelcast gives a stopped member up after a minute. */
  @Test
  void leaseOfOtherMemberLastsLonger() {
    members = Set.of(member);
    read(Map.of(node.key(), stored()));
    pass(LEASE + 100_000);
    assertTrue(isThere());
    pass(30_000);
    assertFalse(isThere());
  }

  @Test
  void pauseOfThisProcessExpiresNoLease() {
    read(Map.of(node.key(), stored()));
    now += TimeUnit.HOURS.toNanos(1);
    mirror.tick(members);
    assertTrue(isThere());
    pass(LEASE);
    assertFalse(isThere());
  }

  @Test
  void entriesOfLostMemberAreRemovedDespiteTheMap() {
    read(Map.of(node.key(), stored()));
    mirror.memberGone(member);
    assertFalse(isThere());
    read(Map.of(node.key(), stored()));
    assertFalse(isThere());
    mirror.membersBack(Set.of(member));
    read(Map.of(node.key(), stored()));
    assertTrue(isThere());
  }

  @Test
  void unreadableValuesAreSkipped() {
    read(Map.of("n/other", new byte[3]));
    assertFalse(isThere());
    read(Map.of(node.key(), stored()));
    assertTrue(isThere());
  }

  @Test
  @Timeout(60)
  void lockIsFreeWhileAReadingIsDecoded() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    Set<Map.Entry<String, byte[]>> large = new AbstractSet<>() {
      @Override
      public Iterator<Map.Entry<String, byte[]>> iterator() {
        reading.countDown();
        try {
          goOn.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        return Map.of(node.key(), stored()).entrySet().iterator();
      }

      @Override
      public int size() {
        return 1;
      }
    };
    mirror.begin();
    Thread reader = Thread.ofPlatform().daemon().start(() -> mirror.apply(large));
    reading.await();
    Thread ticking = Thread.ofPlatform().daemon().start(() -> mirror.tick(members));
    assertTrue(ticking.join(Duration.ofSeconds(20)), "it waits for the reading");
    goOn.countDown();
    reader.join();
    assertTrue(isThere());
  }
}
