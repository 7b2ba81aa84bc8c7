package io.github.vertxrdma.impl.directory;

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
 * Tells one peer of this node's entries, one message at a time: the next is made when the connection has taken the one before. So what
 * waits for a peer that reads slowly is a reference to the last state of each entry, however often it changes. Any thread.
 */
final class EntrySender {
  private static final Logger LOG = LoggerFactory.getLogger(EntrySender.class);

  private final String peer;
  private final Function<Buffer, Future<Void>> send;
  /** Entries to be told of, by key, first come first; null for those that are gone. */
  private final Map<String, DirectoryEntry> waiting = new LinkedHashMap<>();
  /** Keys of all entries at the beginning. */
  private final TreeSet<String> all = new TreeSet<>();
  /** The last of them that the peer was told to keep; null once it was told of all. */
  private String kept = "";
  /** A message is under way, or nothing is to be sent yet. */
  private boolean busy = true;
  /** Key of the entry that is under way. */
  private String told;

  /** @param send completes once there is room for another message; fails if there never will be */
  EntrySender(String peer, Function<Buffer, Future<Void>> send) {
    this.peer = peer;
    this.send = send;
  }

  /** Tells of all entries, then of what changed since this was made. */
  synchronized void start(List<DirectoryEntry> entries) {
    Map<String, DirectoryEntry> changed = new LinkedHashMap<>(waiting);
    waiting.clear();
    for (DirectoryEntry entry : entries) {
      all.add(entry.key());
      waiting.put(entry.key(), entry);
    }
    waiting.putAll(changed);
    next();
  }

  /** Tells of an entry that came or changed. */
  void add(DirectoryEntry entry) {
    change(entry.key(), entry);
  }

  /** Tells that an entry is gone. */
  void remove(String key) {
    change(key, null);
  }

  private synchronized void change(String key, DirectoryEntry entry) {
    // Behind all that changed before it.
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
    if (kept != null) {
      EntryExchange.Part part = EntryExchange.keep(all, kept);
      kept = part.last();
      if (kept == null) {
        all.clear();
      }
      return part.message();
    }
    Map.Entry<String, DirectoryEntry> first = waiting.isEmpty() ? null : waiting.entrySet().iterator().next();
    if (first == null) {
      return null;
    }
    told = first.getKey();
    waiting.remove(told);
    return first.getValue() == null ? EntryExchange.removal(told) : EntryExchange.addition(first.getValue());
  }

  private synchronized void failed(Throwable cause) {
    if (cause instanceof IllegalArgumentException) {
      // One that is too long for a message.
      LOG.warn("Node " + peer + " is not told of '" + told + "': " + cause.getMessage());
      next();
    } else {
      // The connection is over: the next one tells of all anew.
      waiting.clear();
      all.clear();
    }
  }
}
