package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.impl.control.ControlLink;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Control messages by which two nodes tell each other of their own entries: one byte that says what, then for {@link #ADD} the entry, for
 * {@link #REMOVE} its key, for {@link #KEEP} the keys of all there are, behind their lengths (2): others of that node are gone.
 */
public final class EntryExchange {
  /** Kind of control message. */
  static final int KIND = 1;

  private static final byte ADD = 1;
  private static final byte REMOVE = 2;
  private static final byte KEEP = 3;

  private EntryExchange() {
  }

  static void sendAll(ControlLink link, List<DirectoryEntry> entries) {
    entries.forEach(entry -> send(link, entry));
    Buffer keep = Buffer.buffer().appendByte(KEEP);
    for (DirectoryEntry entry : entries) {
      byte[] key = entry.key().getBytes(StandardCharsets.UTF_8);
      keep.appendShort((short) key.length).appendBytes(key);
    }
    link.send(KIND, keep);
  }

  static void send(ControlLink link, DirectoryEntry entry) {
    link.send(KIND, Buffer.buffer().appendByte(ADD).appendBuffer(entry.toBuffer()));
  }

  static void sendRemoval(ControlLink link, DirectoryEntry entry) {
    link.send(KIND, Buffer.buffer().appendByte(REMOVE).appendString(entry.key()));
  }

  /** Does what a peer says, as far as its own entries go. @throws IllegalArgumentException if it says nothing that makes sense */
  static void receive(ControlLink link, Buffer message, DirectoryCache cache) {
    receive(link.nodeId(), message, cache);
  }

  /** The same for the peer of that id. */
  public static void receive(String nodeId, Buffer message, DirectoryCache cache) {
    switch (message.length() == 0 ? 0 : message.getByte(0)) {
      case ADD -> {
        DirectoryEntry entry = DirectoryEntry.fromBuffer(message.getBuffer(1, message.length()));
        if (entry.nodeId().equals(nodeId)) {
          cache.put(entry);
        }
      }
      case REMOVE -> cache.removeOf(nodeId, message.getString(1, message.length()));
      case KEEP -> cache.keepOf(nodeId, keys(message));
      default -> throw new IllegalArgumentException("an unknown message about its entries");
    }
  }

  private static Set<String> keys(Buffer message) {
    Set<String> keys = new HashSet<>();
    for (int at = 1; at < message.length();) {
      int length = message.length() - at < 2 ? -1 : message.getUnsignedShort(at);
      if (length < 0 || length > message.length() - at - 2) {
        throw new IllegalArgumentException("the keys of its entries are cut short");
      }
      keys.add(message.getString(at + 2, at + 2 + length));
      at += 2 + length;
    }
    return keys;
  }
}
