package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;

/**
 * Control messages by which two nodes tell each other of their own entries: one byte that says what, then for {@link #ADD} the entry, for
 * {@link #REMOVE} its key, for {@link #KEEP} the keys of all there are, behind their lengths (2): others of that node are gone. Where they
 * are many, each {@link #KEEP_PART} has a key before the part, or an empty one, its last key, or an empty one, and the keys in between.
 */
public final class EntryExchange {
  /** Kind of control message. */
  static final int KIND = 1;

  private static final byte ADD = 1;
  private static final byte REMOVE = 2;
  private static final byte KEEP = 3;
  private static final byte KEEP_PART = 4;
  /** Bytes of keys in a message. */
  private static final int PART = 128 << 10;

  private EntryExchange() {
  }

  static Buffer addition(DirectoryEntry entry) {
    return Buffer.buffer().appendByte(ADD).appendBuffer(entry.toBuffer());
  }

  static Buffer removal(String key) {
    return Buffer.buffer().appendByte(REMOVE).appendString(key);
  }

  /**
   * The next message that tells which keys there are.
   *
   * @param keys of all entries
   * @param after the last one that was told of before; empty at first
   */
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

  /** @param last key that it tells of; null if it was the last of all */
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

  /**
   * Does what a peer says of its own entries.
   *
   * @return key of the entry that may be gone by it, empty for any; null if none can be
   * @throws IllegalArgumentException if it makes no sense, or they take too many bytes
   */
  public static String receive(Buffer message, PeerEntries entries) {
    switch (message.length() == 0 ? 0 : message.getByte(0)) {
      case ADD -> {
        DirectoryEntry entry = DirectoryEntry.fromBuffer(message.getBuffer(1, message.length()));
        entries.add(entry, message.length());
        return entry instanceof NodeEntry ? "" : null;
      }
      case REMOVE -> {
        String key = message.getString(1, message.length());
        entries.remove(key);
        return key;
      }
      case KEEP -> entries.keep("", "", new HashSet<>(keys(message)));
      case KEEP_PART -> {
        List<String> keys = keys(message);
        if (keys.size() < 2) {
          throw new IllegalArgumentException("a part of the keys of its entries without its bounds");
        }
        entries.keep(keys.get(0), keys.get(1), new HashSet<>(keys));
      }
      default -> throw new IllegalArgumentException("an unknown message about its entries");
    }
    return "";
  }

  private static List<String> keys(Buffer message) {
    List<String> keys = new ArrayList<>();
    Cursor in = Cursor.reading("a list of the keys of its entries", message.getBytes());
    for (in.u8(); in.remaining() > 0;) {
      keys.add(in.text(2));
    }
    return keys;
  }
}
