package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.link.Refusals;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongConsumer;

/** Entries that one node has sent. A region is hidden while another node has a region of the same name. Thread-safe. */
public final class PeerEntries {
  /** Maximum bytes of one node's entries, enough for a hundred thousand services and regions. */
  static final int MAX_BYTES = 64 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(PeerEntries.class);
  private static final Refusals HIDDEN = new Refusals(LOG, System::nanoTime);
  private final String nodeId;
  private final DirectoryCache cache;
  private final Function<RegionEntry, String> owner;
  private final LongConsumer total;
  private final Map<String, Received> received = new HashMap<>();
  private boolean hiddenLogged;
  private long bytes;
  private boolean released;

  private record Received(DirectoryEntry entry, int bytes) {
  }

  public PeerEntries(String nodeId, DirectoryCache cache) {
    this(nodeId, cache, change -> {
    });
  }

  PeerEntries(String nodeId, DirectoryCache cache, LongConsumer total) {
    this(nodeId, cache, region -> cache.ownerOf(region, nodeId), true, total);
  }

  /**
   * @param owner returns the id of another node that keeps the name of a region, or null
   * @param isLogged whether such regions are logged
   * @param total takes each change of the number of bytes, or throws IllegalArgumentException
   */
  PeerEntries(String nodeId, DirectoryCache cache, Function<RegionEntry, String> owner, boolean isLogged, LongConsumer total) {
    this.nodeId = nodeId;
    this.cache = cache;
    this.owner = owner;
    this.total = total;
    this.hiddenLogged = !isLogged;
  }

  /** Applies a message of an {@link EntrySender}. Returns the key of the entry that it may remove; empty for any; null for none. */
  public synchronized String receive(Buffer message) {
    switch (message.length() == 0 ? 0 : message.getByte(0)) {
      case EntrySender.ADD -> {
        DirectoryEntry entry = DirectoryEntry.fromBuffer(message.getBuffer(1, message.length()));
        add(entry, message.length());
        return entry instanceof NodeEntry ? "" : null;
      }
      case EntrySender.REMOVE -> {
        String key = message.getString(1, message.length());
        forget(key);
        cache.removeOf(nodeId, key);
        return key;
      }
      case EntrySender.KEEP -> keep("", "", new HashSet<>(keys(message)));
      case EntrySender.KEEP_PART -> {
        List<String> keys = keys(message);
        if (keys.size() < 2) {
          throw new IllegalArgumentException(
            "a list of keys of directory entries begins with the first and last key that it covers, but this one has fewer than two");
        }
        keep(keys.get(0), keys.get(1), new HashSet<>(keys));
      }
      default -> throw new IllegalArgumentException("the kind of a message about directory entries is unknown");
    }
    return "";
  }

  private static List<String> keys(Buffer message) {
    List<String> keys = new ArrayList<>();
    Cursor in = Cursor.reading("a list of keys of directory entries", message.getBytes());
    for (in.u8(); in.remaining() > 0;) {
      keys.add(in.text(2));
    }
    return keys;
  }

  /** @param length bytes of the message @throws IllegalArgumentException if the entries exceed {@link #MAX_BYTES} or {@link EntryBytes} */
  private void add(DirectoryEntry entry, int length) {
    if (!entry.nodeId().equals(nodeId) || released) {
      return;
    }
    String key = entry.key().intern();
    Received before = received.get(key);
    long then = bytes + length - (before == null ? 0 : before.bytes());
    if (then > MAX_BYTES) {
      throw new IllegalArgumentException("with '" + key + "' the entries of that node's services and regions would have " + then
        + " bytes, more than the allowed " + MAX_BYTES + ". Spread them over several nodes, or use fewer names");
    }
    total.accept(then - bytes);
    bytes = then;
    received.put(key, new Received(entry, length));
    show(key, entry);
  }

  private void show(String key, DirectoryEntry entry) {
    String other = entry instanceof RegionEntry region ? owner.apply(region) : null;
    if (other == null) {
      cache.put(entry);
    } else if (!hiddenLogged) {
      hiddenLogged = true;
      HIDDEN.log("Region '" + ((RegionEntry) entry).name() + "' of node " + nodeId + " is ignored here: node " + other + ", which does not "
        + "know that node, shares a region of the same name. Share one of them under another name. Further such regions of that node are "
        + "not logged");
    }
  }

  /** Shows or hides the region with a key. An empty key stands for all regions. */
  synchronized void refresh(String key) {
    if (key.isEmpty()) {
      received.forEach(this::refresh);
    } else if (received.containsKey(key)) {
      refresh(key, received.get(key));
    }
  }

  private void refresh(String key, Received each) {
    if (each.entry() instanceof RegionEntry) {
      show(key, each.entry());
    }
  }

  private void keep(String after, String last, Set<String> keys) {
    received.keySet().stream().filter(key -> DirectoryCache.isBetween(key, after, last) && !keys.contains(key)).toList()
      .forEach(this::forget);
    cache.keepOf(nodeId, after, last, keys);
  }

  synchronized void clear() {
    received.values().forEach(each -> cache.remove(each.entry()));
    release();
  }

  /** Forgets the entries, which the cache keeps. */
  synchronized void release() {
    received.clear();
    total.accept(-bytes);
    bytes = 0;
    released = true;
  }

  private void forget(String key) {
    Received before = received.remove(key);
    if (before != null) {
      total.accept(-before.bytes());
      bytes -= before.bytes();
    }
  }
}
