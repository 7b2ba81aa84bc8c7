package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Entries that one node has told of over its control connection, and the bytes that they take. They are in the cache, whatever epoch the
 * node gave them, until it takes them back or is gone; but for a region whose name another node's has, of two that do not know each other,
 * as long as that is there. Thread-safe.
 */
public final class PeerEntries {
  private static final Logger LOG = LoggerFactory.getLogger(PeerEntries.class);
  private final String nodeId;
  private final DirectoryCache cache;
  private final Map<String, Told> told = new HashMap<>();
  /** Keys of regions that are not in the cache. */
  private final Set<String> hidden = new HashSet<>();
  private boolean hiddenTold;
  private long bytes;

  /** An entry, and the bytes that it came in. */
  private record Told(DirectoryEntry entry, int bytes) {
  }

  public PeerEntries(String nodeId, DirectoryCache cache) {
    this.nodeId = nodeId;
    this.cache = cache;
  }

  /**
   * Adds or replaces an entry; one of another node is passed by.
   *
   * @param length bytes that it came in
   * @throws IllegalArgumentException if the node's entries would take more than its file of the same-host directory may have
   */
  synchronized void add(DirectoryEntry entry, int length) {
    if (!entry.nodeId().equals(nodeId)) {
      return;
    }
    // The key as the cache has it.
    String key = entry.key().intern();
    Told before = told.get(key);
    long then = bytes + length - (before == null ? 0 : before.bytes());
    if (then > SameHostFile.MAX_BYTES) {
      throw new IllegalArgumentException("with '" + key + "' its services and regions would have " + then + " bytes, more than the "
        + SameHostFile.MAX_BYTES
        + " that those of a node may take: spread them over several nodes, or offer several things under one name");
    }
    bytes = then;
    told.put(key, new Told(entry, length));
    show(key, entry);
  }

  private void show(String key, DirectoryEntry entry) {
    String owner = entry instanceof RegionEntry region ? cache.ownerOf(region, nodeId) : null;
    if (owner == null) {
      hidden.remove(key);
      cache.put(entry);
    } else if (hidden.add(key) && !hiddenTold) {
      hiddenTold = true;
      LOG.warn(
        "Region '" + ((RegionEntry) entry).name() + "' of node " + nodeId + " is not seen here: node " + owner + ", which that one does not"
          + " know, has one of the same name; share it under another name. Others of that node are not named");
    }
  }

  /** Shows or hides the region of that key, or all if it is empty, by what others have now. */
  synchronized void look(String key) {
    if (key.isEmpty()) {
      told.forEach(this::look);
    } else if (told.containsKey(key)) {
      look(key, told.get(key));
    }
  }

  private void look(String key, Told each) {
    if (each.entry() instanceof RegionEntry) {
      show(key, each.entry());
    }
  }

  synchronized void remove(String key) {
    forget(key);
    cache.removeOf(nodeId, key);
  }

  /** Removes those between two keys but some: {@link DirectoryCache#keepOf}. */
  synchronized void keep(String after, String last, Set<String> keys) {
    told.keySet().stream().filter(key -> DirectoryCache.isBetween(key, after, last) && !keys.contains(key)).toList().forEach(this::forget);
    cache.keepOf(nodeId, after, last, keys);
  }

  /** Removes all that are as the node told of them. */
  synchronized void clear() {
    told.values().forEach(each -> cache.remove(each.entry()));
    told.clear();
    hidden.clear();
    bytes = 0;
  }

  private void forget(String key) {
    hidden.remove(key);
    Told before = told.remove(key);
    bytes -= before == null ? 0 : before.bytes();
  }
}
