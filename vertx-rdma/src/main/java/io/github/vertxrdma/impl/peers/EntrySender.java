package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Sends this node's entries to one peer, one message at a time. The queue for a slow peer holds only the latest state of each entry.
 * Thread-safe.
 */
final class EntrySender {
  private static final Logger LOG = LoggerFactory.getLogger(EntrySender.class);

  /** Keys in {@link #waiting} of messages without an entry. */
  private static final String CONFIRM = "?";
  private static final String CONFIRMED = "!";
  private static final String HELD = "=";

  private final String peer;
  private final Function<Buffer, Future<Void>> send;
  /** Messages to send, by the key of their entry, oldest first. */
  private final Map<String, Supplier<Buffer>> waiting = new LinkedHashMap<>();
  /** Callers that wait for a confirmation, by its number. */
  private final NavigableMap<Integer, List<Promise<Void>>> unconfirmed = new TreeMap<>();
  private int confirmations;
  /** True after {@link #late} until the peer confirms. */
  private boolean silent;
  private boolean ended;
  private final TreeSet<String> initialKeys = new TreeSet<>();
  /** Last key in the sent KEEP messages; null after all keys. */
  private String lastKey = "";
  /** True while a message is in flight, and before {@link #start}. */
  private boolean busy = true;
  private String sentKey;

  /** @param send completes when there is room for another message; fails if the connection has ended */
  EntrySender(String peer, Function<Buffer, Future<Void>> send) {
    this.peer = peer;
    this.send = send;
  }

  /** Sends all entries, then the changes since construction. */
  synchronized void start(List<DirectoryEntry> entries) {
    Map<String, Supplier<Buffer>> changed = new LinkedHashMap<>(waiting);
    waiting.clear();
    for (DirectoryEntry entry : entries) {
      initialKeys.add(entry.key());
      waiting.put(entry.key(), () -> EntryExchange.addition(entry));
    }
    waiting.putAll(changed);
    next();
  }

  void add(DirectoryEntry entry) {
    send(entry.key(), () -> EntryExchange.addition(entry));
  }

  void remove(String key) {
    send(key, () -> EntryExchange.removal(key));
  }

  /** Asks the peer to confirm all queued messages. Also completes when the connection ends, or if the peer is {@link #late}. */
  Future<Void> confirmed() {
    Promise<Void> promise = Promise.promise();
    synchronized (this) {
      if (silent || ended) {
        return Future.succeededFuture();
      }
      int number = waiting.containsKey(CONFIRM) ? confirmations : ++confirmations;
      unconfirmed.computeIfAbsent(number, n -> new ArrayList<>()).add(promise);
      send(CONFIRM, () -> EntryExchange.confirmation(EntryExchange.CONFIRM, number));
    }
    return promise.future();
  }

  /** Called when the peer did not confirm in time. Until it does, publications do not wait for it. */
  synchronized void late() {
    silent = !unconfirmed.isEmpty();
  }

  /** Confirms to the peer, after all queued messages. */
  void confirm(int number) {
    // Replaces a queued confirmation of an earlier number.
    send(CONFIRMED, () -> EntryExchange.confirmation(EntryExchange.CONFIRMED, number));
  }

  void held(String key) {
    send(HELD + key, () -> EntryExchange.held(key));
  }

  void confirmedBy(int number) {
    List<Promise<Void>> done = new ArrayList<>();
    synchronized (this) {
      silent = false;
      Map<Integer, List<Promise<Void>>> earlier = unconfirmed.headMap(number, true);
      earlier.values().forEach(done::addAll);
      earlier.clear();
    }
    done.forEach(Promise::tryComplete);
  }

  void end() {
    synchronized (this) {
      ended = true;
      waiting.clear();
      initialKeys.clear();
    }
    confirmedBy(Integer.MAX_VALUE);
  }

  private synchronized void send(String key, Supplier<Buffer> message) {
    if (ended) {
      return;
    }
    // Moves the key to the end: changes are sent in order.
    waiting.remove(key);
    waiting.put(key, message);
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
    if (waiting.isEmpty()) {
      return null;
    }
    sentKey = waiting.keySet().iterator().next();
    return waiting.remove(sentKey).get();
  }

  private void failed(Throwable cause) {
    if (cause instanceof IllegalArgumentException) {
      // The entry is too long for a message.
      LOG.warn("Node " + peer + " did not get the directory entry '" + sentKey + "': " + cause.getMessage());
      next();
    } else {
      // The next connection sends all entries again.
      end();
    }
  }
}
