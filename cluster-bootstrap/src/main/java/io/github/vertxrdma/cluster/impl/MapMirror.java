package io.github.vertxrdma.cluster.impl;

import com.hazelcast.core.EntryEvent;
import com.hazelcast.map.MapEvent;
import com.hazelcast.map.listener.EntryAddedListener;
import com.hazelcast.map.listener.EntryEvictedListener;
import com.hazelcast.map.listener.EntryExpiredListener;
import com.hazelcast.map.listener.EntryRemovedListener;
import com.hazelcast.map.listener.EntryUpdatedListener;
import com.hazelcast.map.listener.MapClearedListener;
import io.github.vertxrdma.impl.directory.DirectoryCache;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Keeps the local cache equal to the map, from the map's events and from whole readings of it. A reading is older than the events that come
 * while it is made, so keys that they touched are left as they are. Entries of this node are its own to know and pass by.
 */
final class MapMirror implements EntryAddedListener<String, byte[]>, EntryUpdatedListener<String, byte[]>,
  EntryRemovedListener<String, byte[]>, EntryEvictedListener<String, byte[]>, EntryExpiredListener<String, byte[]>,
  MapClearedListener {
  private static final Logger LOG = LoggerFactory.getLogger(MapMirror.class);
  /** Lost members that are remembered, so that a late event does not bring their entries back. */
  private static final int GONE = 1024;

  private final DirectoryCache cache;
  private final String nodeId;
  private final Map<String, Known> known = new HashMap<>();
  private final Set<UUID> gone = new LinkedHashSet<>();
  private final Set<String> touched = new HashSet<>();
  private boolean reading;
  private boolean unreadableReported;

  private record Known(byte[] bytes, Stored stored) {
  }

  MapMirror(DirectoryCache cache, String nodeId) {
    this.cache = cache;
    this.nodeId = nodeId;
  }

  @Override
  public void entryAdded(EntryEvent<String, byte[]> event) {
    changed(event.getKey(), event.getValue());
  }

  @Override
  public void entryUpdated(EntryEvent<String, byte[]> event) {
    changed(event.getKey(), event.getValue());
  }

  @Override
  public void entryRemoved(EntryEvent<String, byte[]> event) {
    changed(event.getKey(), null);
  }

  @Override
  public void entryEvicted(EntryEvent<String, byte[]> event) {
    changed(event.getKey(), null);
  }

  @Override
  public void entryExpired(EntryEvent<String, byte[]> event) {
    changed(event.getKey(), null);
  }

  @Override
  public synchronized void mapCleared(MapEvent event) {
    for (String key : Set.copyOf(known.keySet())) {
      changed(key, null);
    }
  }

  /** A reading of the whole map begins. */
  synchronized void begin() {
    reading = true;
    touched.clear();
  }

  /** What was read. */
  synchronized void apply(Set<Map.Entry<String, byte[]>> all) {
    Set<String> missing = new HashSet<>(known.keySet());
    for (Map.Entry<String, byte[]> stored : all) {
      missing.remove(stored.getKey());
      if (!touched.contains(stored.getKey())) {
        set(stored.getKey(), stored.getValue());
      }
    }
    missing.removeAll(touched);
    missing.forEach(key -> set(key, null));
    reading = false;
  }

  /** What a lost member stored is gone, whatever the map still says. */
  synchronized void memberGone(UUID member) {
    gone.add(member);
    if (gone.size() > GONE) {
      gone.remove(gone.iterator().next());
    }
    for (String key : Set.copyOf(known.keySet())) {
      if (known.get(key).stored().by().equals(member)) {
        set(key, null);
      }
    }
  }

  /** Members that seemed lost are there: a split cluster has healed. Their entries come with the next reading. */
  synchronized void membersBack(Collection<UUID> members) {
    gone.removeAll(members);
  }

  private synchronized void changed(String key, byte[] value) {
    if (reading) {
      touched.add(key);
    }
    set(key, value);
  }

  private void set(String key, byte[] value) {
    Known before = known.get(key);
    if (before != null && Arrays.equals(before.bytes(), value)) {
      return;
    }
    Stored now = value == null ? null : decode(key, value);
    if (now == null || gone.contains(now.by())) {
      known.remove(key);
      now = null;
    } else {
      known.put(key, new Known(value, now));
    }
    if (now != null && !now.entry().nodeId().equals(nodeId)) {
      cache.put(now.entry());
    } else if (before != null && !before.stored().entry().nodeId().equals(nodeId)) {
      cache.remove(before.stored().entry());
    }
  }

  private Stored decode(String key, byte[] value) {
    try {
      return Stored.fromBytes(value);
    } catch (IllegalArgumentException e) {
      if (!unreadableReported) {
        unreadableReported = true;
        LOG.warn("Directory entry '" + key + "' is ignored: " + e.getMessage());
      }
      return null;
    }
  }
}
