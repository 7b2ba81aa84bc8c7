package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.impl.process.ProcessName;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Name and content of a node's file. The name {@code PIDNS-PID-START-RANDOM.node} identifies the writing process. The content is a list of
 * records: a length and an entry, or a negative length and the key of a removed entry. The first record is the removal of a random key,
 * which identifies the content: a reader that knows it continues after the bytes that it has read.
 */
public record SameHostFile(Path path, ProcessName writer) {
  static final String SUFFIX = ".node";
  /** Suffix of the mark beside the file, see {@link #mark}. */
  static final String MARK = ".lock";
  private static final String CONTENT_ID = "w/";
  /** Bytes of the first record: length and key with 16 digits. */
  private static final int FIRST = 4 + CONTENT_ID.length() + 16;
  /** More than a hundred thousand services and regions need. */
  static final int MAX_BYTES = 64 << 20;

  static SameHostFile own(Path folder, long random) {
    ProcessName self = ProcessName.own();
    return new SameHostFile(folder.resolve(self.file(Long.toHexString(random) + SUFFIX)), self);
  }

  static Optional<SameHostFile> parse(Path path) {
    String name = path.getFileName().toString();
    return name.endsWith(SUFFIX) ? ProcessName.of(name).map(writer -> new SameHostFile(path, writer)) : Optional.empty();
  }

  /** Returns the file beside it that its process holds as long as it lives. */
  Path mark() {
    return path.resolveSibling(path.getFileName() + MARK);
  }

  static Buffer record(DirectoryEntry entry) {
    Buffer bytes = entry.toBuffer();
    return Buffer.buffer(4 + bytes.length()).appendInt(bytes.length()).appendBuffer(bytes);
  }

  static Buffer removal(DirectoryEntry entry) {
    return removal(entry.key());
  }

  private static Buffer removal(String of) {
    Buffer key = Buffer.buffer(of);
    return Buffer.buffer(4 + key.length()).appendInt(-key.length()).appendBuffer(key);
  }

  /** @return the number of bytes. @throws RdmaException {@code LIMIT} if the file is too long or the disk full */
  int write(List<DirectoryEntry> entries) throws IOException {
    Buffer content = removal(CONTENT_ID + HexFormat.of().toHexDigits(AbstractDirectory.newEpoch()));
    entries.forEach(entry -> content.appendBuffer(record(entry)));
    if (content.length() > MAX_BYTES) {
      throw new RdmaException(Reason.LIMIT,
        path + " would have " + content.length() + " bytes, more than the " + MAX_BYTES + " that a node's"
          + " services and regions may take: spread them over several nodes, or offer several things under one name");
    }
    RuntimeFolder.write(path, content.getBytes());
    return content.length();
  }

  /**
   * Appends records and updates the folder's time.
   *
   * @param size current size
   * @return false if the file has another size or was deleted
   */
  boolean append(int size, Buffer records) throws IOException {
    if (!RuntimeFolder.append(path, size, records.getBytes())) {
      return false;
    }
    Files.setLastModifiedTime(path.getParent(), FileTime.from(Instant.now()));
    return true;
  }

  /** Records from a position to the end. @param contentId identity of the content; empty if it has none */
  record Part(String contentId, long from, Buffer records) {
  }

  /**
   * Reads the records after a position, or all if the identity has changed.
   *
   * @param contentId identity of the content that was read before
   */
  Part read(String contentId, long position) throws IOException {
    try (FileChannel channel = FileChannel.open(path)) {
      long size = channel.size();
      if (size > MAX_BYTES) {
        throw new IllegalArgumentException("it is longer than a node's file: " + size + " bytes, at most " + MAX_BYTES);
      }
      Buffer first = bytes(channel, 0, Math.min(FIRST, size));
      String now = first.length() == FIRST && first.getInt(0) == 4 - FIRST ? first.getString(4, FIRST) : "";
      long from = now.startsWith(CONTENT_ID) && now.equals(contentId) && position <= size ? position : 0;
      return new Part(now, from, bytes(channel, from, size));
    }
  }

  private static Buffer bytes(FileChannel channel, long from, long to) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) (to - from));
    while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) > 0) {
      // Reads until the end, also of a file that is shorter now.
    }
    return Buffer.buffer(Arrays.copyOf(bytes.array(), bytes.position()));
  }

  /** @throws IllegalArgumentException if the file has no entries */
  List<DirectoryEntry> read() throws IOException {
    return entries(read("", 0).records());
  }

  /** Decodes entries. @throws IllegalArgumentException if the content is malformed */
  public static List<DirectoryEntry> entries(Buffer content) {
    Map<String, DirectoryEntry> entries = new LinkedHashMap<>();
    records(content, (key, entry) -> {
      if (entry == null) {
        entries.remove(key);
      } else {
        entries.put(key, entry);
      }
    });
    return List.copyOf(entries.values());
  }

  /**
   * Decodes records. The last one may be incomplete.
   *
   * @param each called with a key and its entry, null for a removal
   * @return length of the complete records
   * @throws IllegalArgumentException if the content is malformed
   */
  static int records(Buffer content, BiConsumer<String, DirectoryEntry> each) {
    int at = 0;
    while (content.length() - at >= 4) {
      int length = content.getInt(at);
      int end = at + 4 + Math.abs(length);
      if (end < at) {
        throw new IllegalArgumentException("not a file of the same-host directory");
      }
      if (end > content.length()) {
        break;
      }
      if (length < 0) {
        each.accept(content.getString(at + 4, end), null);
      } else {
        DirectoryEntry entry = DirectoryEntry.fromBuffer(content.getBuffer(at + 4, end));
        each.accept(entry.key(), entry);
      }
      at = end;
    }
    return at;
  }
}
