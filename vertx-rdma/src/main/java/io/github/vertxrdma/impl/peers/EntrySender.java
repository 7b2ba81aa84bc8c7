package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Sends this node's entries to a peer, one message at a time. For a slow peer it keeps the latest state of each entry. Thread-safe.
 *
 * <p>The first byte of a message is its type:
 *
 * <ul>
 * <li>{@link #ADD}: an entry.
 * <li>{@link #REMOVE}: a key.
 * <li>{@link #KEEP}: all keys, each after its length (2 bytes). The receiver removes the sender's other entries.
 * <li>{@link #KEEP_PART}: some of these keys, after an exclusive lower and an inclusive upper bound.
 * <li>{@link #CONFIRM}, {@link #CONFIRMED}: a number, to request and to give a confirmation. Only in a {@link NodeFolder}.
 * <li>{@link #HELD}: key of a region that the sender had first.
 * </ul>
 */
final class EntrySender {
  /** Kind of these control messages. */
  static final int KIND = 1;
  static final byte ADD = 1;
  static final byte REMOVE = 2;
  static final byte KEEP = 3;
  static final byte KEEP_PART = 4;
  static final byte CONFIRM = 5;
  static final byte CONFIRMED = 6;
  static final byte HELD = 7;
  /** Bytes of a CONFIRM or CONFIRMED. */
  static final int CONFIRMATION = 5;
  private static final int PART = 128 << 10;
  private static final Logger LOG = LoggerFactory.getLogger(EntrySender.class);
  /** Keys in {@link #waiting} of messages without an entry. */
  private static final String CONFIRM_KEY = "?";
  private static final String CONFIRMED_KEY = "!";
  private static final String HELD_KEY = "=";

  private final String peer;
  private final Function<Buffer, Future<Void>> send;
  private final SequencedMap<String, Supplier<Buffer>> waiting = new LinkedHashMap<>();
  /** Promises to complete on a confirmation, by its number. */
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
      waiting.put(entry.key(), () -> addition(entry));
    }
    waiting.putAll(changed);
    next();
  }

  void add(DirectoryEntry entry) {
    send(entry.key(), () -> addition(entry));
  }

  void remove(String key) {
    send(key, () -> removal(key));
  }

  /** Asks the peer to confirm all queued messages. Also completes when the connection ends, or if the peer is {@link #late}. */
  Future<Void> confirmed() {
    Promise<Void> promise = Promise.promise();
    synchronized (this) {
      if (silent || ended) {
        return Future.succeededFuture();
      }
      int number = waiting.containsKey(CONFIRM_KEY) ? confirmations : ++confirmations;
      unconfirmed.computeIfAbsent(number, n -> new ArrayList<>()).add(promise);
      send(CONFIRM_KEY, () -> confirmation(CONFIRM, number));
    }
    return promise.future();
  }

  /** Called when the peer did not confirm in time. Until it does, publications do not wait for it. */
  synchronized void late() {
    silent = !unconfirmed.isEmpty();
  }

  void confirm(int number) {
    // Replaces a queued confirmation of an earlier number.
    send(CONFIRMED_KEY, () -> confirmation(CONFIRMED, number));
  }

  void held(String key) {
    send(HELD_KEY + key, () -> Buffer.buffer().appendByte(HELD).appendString(key));
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
    }
    confirmedBy(Integer.MAX_VALUE);
  }

  private synchronized void send(String key, Supplier<Buffer> message) {
    if (ended) {
      return;
    }
    // Moves the key to the end: changes are sent in order.
    waiting.putLast(key, message);
    if (!busy) {
      next();
    }
  }

  private synchronized void next() {
    Buffer message;
    if (lastKey != null) {
      Part part = keep(initialKeys, lastKey);
      lastKey = part.last();
      if (lastKey == null) {
        initialKeys.clear();
      }
      message = part.message();
    } else {
      Map.Entry<String, Supplier<Buffer>> oldest = waiting.pollFirstEntry();
      if (oldest == null) {
        busy = false;
        return;
      }
      sentKey = oldest.getKey();
      message = oldest.getValue().get();
    }
    busy = true;
    send.apply(message).onSuccess(v -> next()).onFailure(this::failed);
  }

  private void failed(Throwable cause) {
    if (cause instanceof IllegalArgumentException) {
      LOG.warn("Node " + peer + " did not get the directory entry '" + sentKey + "': " + cause.getMessage());
      next();
    } else {
      // The next connection sends all entries again.
      end();
    }
  }

  static Buffer addition(DirectoryEntry entry) {
    return Buffer.buffer().appendByte(ADD).appendBuffer(entry.toBuffer());
  }

  static Buffer removal(String key) {
    return Buffer.buffer().appendByte(REMOVE).appendString(key);
  }

  static Buffer confirmation(byte type, int number) {
    return Buffer.buffer(CONFIRMATION).appendByte(type).appendInt(number);
  }

  /** @param after last key of the previous message; empty for the first message */
  static Part keep(NavigableSet<String> keys, String after) {
    Buffer part = Buffer.buffer();
    String last = after;
    for (String key : keys.tailSet(after, false)) {
      if (part.length() >= PART) {
        return new Part(bounded(after, last, part), last);
      }
      append(part, key);
      last = key;
    }
    return new Part(after.isEmpty() ? Buffer.buffer().appendByte(KEEP).appendBuffer(part) : bounded(after, "", part), null);
  }

  record Part(Buffer message, String last) {
  }

  private static Buffer bounded(String after, String last, Buffer keys) {
    Buffer message = Buffer.buffer().appendByte(KEEP_PART);
    append(message, after);
    append(message, last);
    return message.appendBuffer(keys);
  }

  private static void append(Buffer message, String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    message.appendShort((short) bytes.length).appendBytes(bytes);
  }
}
