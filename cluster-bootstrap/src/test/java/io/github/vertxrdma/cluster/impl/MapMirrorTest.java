package io.github.vertxrdma.cluster.impl;

import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.directory.DirectoryCache;
import java.time.Duration;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When an entry of the map is believed, and for how long. */
class MapMirrorTest {
  private static final long LEASE = 10_000;

  private final DirectoryCache cache = new DirectoryCache();
  private final MapMirror mirror = new MapMirror(cache, "self");
  private final UUID member = UUID.randomUUID();
  private final NodeEntry node = NodeEntry.local("other", 7);
  private long now = System.nanoTime();
  private int renewals;

  private byte[] stored() {
    return new Stored(member, false, LEASE, renewals++, node).toBytes();
  }

  private void read(Map<String, byte[]> map) {
    mirror.begin();
    mirror.apply(map.entrySet());
  }

  private void pass(long millis) {
    for (long passed = 0; passed < millis; passed += MapMirror.TICK_MILLIS) {
      now += TimeUnit.MILLISECONDS.toNanos(MapMirror.TICK_MILLIS);
      mirror.tick(now);
    }
  }

  private boolean isThere() {
    return cache.node("other").isPresent();
  }

  @Test
  void aReadingThatLacksAnEntryProvesNothing() {
    read(Map.of(node.key(), stored()));
    read(Map.of());
    assertTrue(isThere());
  }

  @Test
  void aLeaseRunsOutThatNobodyRenews() {
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

  @Test
  void aPauseOfThisProcessAgesNobody() {
    read(Map.of(node.key(), stored()));
    now += TimeUnit.HOURS.toNanos(1);
    mirror.tick(now);
    assertTrue(isThere());
    pass(LEASE);
    assertFalse(isThere());
  }

  @Test
  void aLostMemberTakesItsEntriesWithItWhateverTheMapSays() {
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
  void whatCannotBeReadIsPassedBy() {
    read(Map.of("n/other", new byte[3]));
    assertFalse(isThere());
    read(Map.of(node.key(), stored()));
    assertTrue(isThere());
  }

  /** The map may be large, and somebody waits at each tick. */
  @Test
  @Timeout(60)
  void nobodyWaitsWhileAReadingIsDecoded() throws Exception {
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
    Thread ticking = Thread.ofPlatform().daemon().start(() -> mirror.tick(now));
    assertTrue(ticking.join(Duration.ofSeconds(20)), "it waits for the reading");
    goOn.countDown();
    reader.join();
    assertTrue(isThere());
  }
}
