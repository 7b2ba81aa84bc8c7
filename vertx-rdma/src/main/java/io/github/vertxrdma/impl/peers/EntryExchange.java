package io.github.vertxrdma.impl.peers;

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
 * Control messages that exchange the entries of two nodes. The first byte is the type:
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
public final class EntryExchange {
  static final int KIND = 1;

  private static final byte ADD = 1;
  private static final byte REMOVE = 2;
  private static final byte KEEP = 3;
  private static final byte KEEP_PART = 4;
  static final byte CONFIRM = 5;
  static final byte CONFIRMED = 6;
  static final byte HELD = 7;
  static final int CONFIRMATION = 5;
  private static final int PART = 128 << 10;

  private EntryExchange() {
  }

  static Buffer addition(DirectoryEntry entry) {
    return Buffer.buffer().appendByte(ADD).appendBuffer(entry.toBuffer());
  }

  static Buffer removal(String key) {
    return Buffer.buffer().appendByte(REMOVE).appendString(key);
  }

  static Buffer held(String key) {
    return Buffer.buffer().appendByte(HELD).appendString(key);
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

  /** @param last last key in the message; null after all keys */
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
   * Applies a message.
   *
   * @return key of the entry that the message may remove; empty for any; null for none
   * @throws IllegalArgumentException if the message is malformed, or the sender's entries are too long
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
          throw new IllegalArgumentException("a list of keys of directory entries lacks its bounds");
        }
        entries.keep(keys.get(0), keys.get(1), new HashSet<>(keys));
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
}
