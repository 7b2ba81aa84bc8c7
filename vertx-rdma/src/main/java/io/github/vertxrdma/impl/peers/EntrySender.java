package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Sends this node's entries to one peer, one message at a time. The queue for a slow peer holds only the latest state of each entry. Any
 * thread.
 */
final class EntrySender {
  private static final Logger LOG = LoggerFactory.getLogger(EntrySender.class);

  private final String peer;
  private final Function<Buffer, Future<Void>> send;
  /** Entries to send, by key, oldest first; null for removed ones. */
  private final Map<String, DirectoryEntry> waiting = new LinkedHashMap<>();
  private final TreeSet<String> initialKeys = new TreeSet<>();
  /** The last key that was sent; null after all keys. */
  private String lastKey = "";
  /** True while a message is in flight, and before the start. */
  private boolean busy = true;
  private String sentKey;

  /** @param send completes when there is room for another message; fails if the connection has ended */
  EntrySender(String peer, Function<Buffer, Future<Void>> send) {
    this.peer = peer;
    this.send = send;
  }

  /** Sends all entries, then the changes since the construction. */
  synchronized void start(List<DirectoryEntry> entries) {
    Map<String, DirectoryEntry> changed = new LinkedHashMap<>(waiting);
    waiting.clear();
    for (DirectoryEntry entry : entries) {
      initialKeys.add(entry.key());
      waiting.put(entry.key(), entry);
    }
    waiting.putAll(changed);
    next();
  }

  void add(DirectoryEntry entry) {
    change(entry.key(), entry);
  }

  void remove(String key) {
    change(key, null);
  }

  private synchronized void change(String key, DirectoryEntry entry) {
    // Moves the key to the end: changes are sent in order.
    waiting.remove(key);
    waiting.put(key, entry);
    if (!busy) {
      next();
    }
  }

  private synchronized void next() {
    Buffer message = message();
    busy = message != null;
    if (busy) {
      send.apply(message).onSuccess(v -> next()).onFailure(this::failed);
    }
  }

  private Buffer message() {
    if (lastKey != null) {
      EntryExchange.Part part = EntryExchange.keep(initialKeys, lastKey);
      lastKey = part.last();
      if (lastKey == null) {
        initialKeys.clear();
      }
      return part.message();
    }
    Map.Entry<String, DirectoryEntry> first = waiting.isEmpty() ? null : waiting.entrySet().iterator().next();
    if (first == null) {
      return null;
    }
    sentKey = first.getKey();
    waiting.remove(sentKey);
    return first.getValue() == null ? EntryExchange.removal(sentKey) : EntryExchange.addition(first.getValue());
  }

  private synchronized void failed(Throwable cause) {
    if (cause instanceof IllegalArgumentException) {
      // The entry is too long for a message.
      LOG.warn("Node " + peer + " does not receive '" + sentKey + "': " + cause.getMessage());
      next();
    } else {
      // The connection has ended. The next one sends all entries again.
      waiting.clear();
      initialKeys.clear();
    }
  }
}
