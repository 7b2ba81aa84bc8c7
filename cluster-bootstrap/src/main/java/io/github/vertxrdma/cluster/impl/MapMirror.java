package io.github.vertxrdma.cluster.impl;

import com.hazelcast.core.EntryAdapter;
import com.hazelcast.core.EntryEvent;
import com.hazelcast.map.MapEvent;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.peers.DirectoryCache;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Updates the local cache from the directory's Hazelcast map, by events and by reading the entire map. Events during a reading are newer
 * than its result. Skips entries of this node.
 *
 * <p>A node and its entries are removed by an event, with their Hazelcast member, or when the lease expires by this process's clock. Leases
 * of members are longer, so that Hazelcast removes a stopped member first.
 *
 * <p>An entry that is missing in a reading is removed only after an entire lease, because partitions that move lack entries temporarily.
 */
final class MapMirror extends EntryAdapter<String, byte[]> {
  private static final Logger LOG = LoggerFactory.getLogger(MapMirror.class);
  /** Maximum number of lost members whose late events are ignored. */
  private static final int GONE = 1024;
  /** Additional lease of a member: twice the time after which Hazelcast removes a silent member. */
  private static final long MEMBER_NANOS = TimeUnit.SECONDS.toNanos(120);

  private final DirectoryCache cache;
  private final String nodeId;
  private final Runnable removed;
  private final long tickNanos;
  private final LongSupplier clock;
  private final Map<String, Known> known = new HashMap<>();
  private final Set<UUID> gone = new LinkedHashSet<>();
  /** Keys that events have changed during a reading; null between readings. */
  private Set<String> touched;
  /** {@link #runNanos} at which a reading first lacked an entry, or the node of an entry. */
  private final Map<String, Long> lackedSince = new HashMap<>();
  private volatile boolean unreadableReported;
  /** Nanoseconds for which this process ran, except times in which it was stopped. */
  private long runNanos;
  private long ticked;

  record Known(byte[] bytes, Stored stored, long end, boolean expired) {
  }

  /**
   * Entries that a reading found, for the directory to check or remove.
   *
   * @param own entries of this node
   * @param abandoned entries whose node has been missing for an entire lease
   */
  record Reading(Map<String, Known> own, Map<String, byte[]> abandoned) {
  }

  /** @param stored null if the entry was known before, or cannot be decoded */
  private record Read(String key, byte[] bytes, Stored stored) {
  }

  /** @param removed called when another node removed this node's entry */
  MapMirror(DirectoryCache cache, String nodeId, Runnable removed, long tickMillis, LongSupplier clock) {
    this.cache = cache;
    this.nodeId = nodeId;
    this.removed = removed;
    this.tickNanos = TimeUnit.MILLISECONDS.toNanos(tickMillis);
    this.clock = clock;
    this.ticked = clock.getAsLong();
  }

  @Override
  public void onEntryEvent(EntryEvent<String, byte[]> event) {
    changed(event.getKey(), switch (event.getEventType()) {
      case ADDED, UPDATED -> event.getValue();
      default -> null;
    });
  }

  @Override
  public synchronized void mapCleared(MapEvent event) {
    for (String key : Set.copyOf(known.keySet())) {
      changed(key, null);
    }
  }

  synchronized void begin() {
    touched = new HashSet<>();
  }

  /** Applies a reading of the map. Decodes new entries before locking. */
  Reading apply(Set<Map.Entry<String, byte[]>> all) {
    List<Read> read = new ArrayList<>();
    for (Map.Entry<String, byte[]> stored : all) {
      String key = stored.getKey();
      byte[] bytes = stored.getValue();
      read.add(new Read(key, bytes, has(key, bytes) ? null : decode(key, bytes)));
    }
    return apply(read);
  }

  private synchronized boolean has(String key, byte[] bytes) {
    Known there = known.get(key);
    return there != null && Arrays.equals(there.bytes(), bytes);
  }

  private synchronized Reading apply(List<Read> all) {
    Map<String, Known> own = new HashMap<>();
    Map<String, Long> without = new HashMap<>();
    Map<String, byte[]> read = new HashMap<>();
    Map<String, byte[]> abandoned = new HashMap<>();
    Map<String, Long> before = Map.copyOf(lackedSince);
    lackedSince.clear();
    for (Read each : all) {
      read.put(each.key(), each.bytes());
      if (!touched.contains(each.key())) {
        set(each.key(), each.bytes(), each.stored());
        Stored.origin(each.bytes()).filter(origin -> gone.contains(origin.by()))
          .ifPresent(origin -> without.put(each.key(), origin.leaseMillis()));
      }
    }
    for (Map.Entry<String, Known> each : List.copyOf(known.entrySet())) {
      String key = each.getKey();
      Known entry = each.getValue();
      boolean isThere = read.containsKey(key) || touched.contains(key);
      if (entry.stored().entry().nodeId().equals(nodeId)) {
        if (isThere) {
          own.put(key, entry);
        }
      } else if (!hasNode(entry)) {
        if (isThere) {
          without.put(key, entry.stored().leaseMillis());
        } else {
          drop(key, entry);
        }
      } else if (!isThere && isLackedForLease(key, entry.stored().leaseMillis(), before)) {
        lackedSince.remove(key);
        drop(key, entry);
      }
    }
    touched = null;
    without.forEach((key, lease) -> {
      if (isLackedForLease(key, lease, before) && read.containsKey(key)) {
        abandoned.put(key, read.get(key));
      }
    });
    return new Reading(own, abandoned);
  }

  private boolean isLackedForLease(String key, long leaseMillis, Map<String, Long> before) {
    long since = before.getOrDefault(key, runNanos);
    lackedSince.put(key, since);
    return runNanos - since >= TimeUnit.MILLISECONDS.toNanos(leaseMillis);
  }

  private void drop(String key, Known entry) {
    known.remove(key);
    removeFromCache(entry);
  }

  private boolean hasNode(Known entry) {
    Known node = known.get(entry.stored().nodeKey());
    return node != null && !node.expired() && node.stored().entry().epoch() == entry.stored().entry().epoch();
  }

  /**
   * Removes nodes whose lease has expired.
   *
   * @param others members except this one; their leases are longer
   */
  synchronized void tick(Set<UUID> others) {
    advance();
    for (Map.Entry<String, Known> each : known.entrySet()) {
      Known there = each.getValue();
      if (!there.expired() && there.end() < runNanos - (others.contains(there.stored().by()) ? MEMBER_NANOS : 0)) {
        // Keeps the bytes, so that reading the same bytes does not restore the node.
        each.setValue(new Known(there.bytes(), there.stored(), there.end(), true));
        removeFromCache(there);
      }
    }
  }

  /** Adds the time since the last call, at most two ticks: otherwise this process was stopped. */
  private void advance() {
    long now = clock.getAsLong();
    runNanos += Math.min(now - ticked, 2 * tickNanos);
    ticked = now;
  }

  synchronized void memberGone(UUID member) {
    gone.add(member);
    if (gone.size() > GONE) {
      gone.remove(gone.iterator().next());
    }
    for (String key : Set.copyOf(known.keySet())) {
      if (known.get(key).stored().by().equals(member)) {
        set(key, null, null);
      }
    }
  }

  /** Returns whether a member was lost, whose entries the next reading adds again. */
  synchronized boolean membersBack(Collection<UUID> members) {
    return gone.removeAll(members);
  }

  private synchronized void changed(String key, byte[] value) {
    if (touched != null) {
      touched.add(key);
    }
    set(key, value, value == null ? null : decode(key, value));
    if (value == null && key.equals("n/" + nodeId)) {
      removed.run();
    }
  }

  /** @param now new entry; null if the entry was removed, or cannot be decoded */
  private void set(String key, byte[] value, Stored now) {
    Known before = known.get(key);
    if (before != null && Arrays.equals(before.bytes(), value)) {
      return;
    }
    if (now == null || gone.contains(now.by())) {
      if (before != null) {
        drop(key, before);
      }
      return;
    }
    advance();
    // intern() shares the String of the key with the cache.
    long end = now.entry() instanceof NodeEntry ? runNanos + TimeUnit.MILLISECONDS.toNanos(now.leaseMillis()) : Long.MAX_VALUE;
    known.put(key.intern(), new Known(value, now, end, false));
    if (now.entry().nodeId().equals(nodeId)) {
      if (before != null) {
        removeFromCache(before);
      }
    } else if (before == null ? !isOwn(now.entry()) : before.expired() || !before.stored().entry().equals(now.entry())) {
      cache.put(now.entry());
    }
  }

  /** Returns whether this node has stored a region with the same name, which is newer. */
  private boolean isOwn(DirectoryEntry entry) {
    return entry instanceof RegionEntry region && cache.region(region.name()).filter(own -> own.nodeId().equals(nodeId)).isPresent();
  }

  private void removeFromCache(Known before) {
    if (!before.stored().entry().nodeId().equals(nodeId)) {
      cache.remove(before.stored().entry());
    }
  }

  private Stored decode(String key, byte[] value) {
    try {
      return Stored.fromBytes(value);
    } catch (IllegalArgumentException e) {
      if (!unreadableReported) {
        unreadableReported = true;
        LOG.warn("Directory entry '" + PeerText.of(key) + "' is ignored: " + e.getMessage()
          + ". Further unreadable entries are not logged");
      }
      return null;
    }
  }
}
