package io.github.vertxrdma.impl.directory;

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
 * Name and content of a node's file in the same-host directory. The name {@code PIDNS-PID-START-RANDOM.node} tells whether the process that
 * wrote it lives without opening it; the content is the node's entries, each behind its length, and which of them are gone.
 * The first record names the writing of the whole file, as the end of an entry that nobody has: who has read of that one goes on behind it.
 */
public record SameHostFile(Path path, ProcessName writer) {
  private static final String SUFFIX = ".node";
  private static final String WRITING = "w/";
  /** Bytes of the first record: its length, and the name of the writing with 16 digits. */
  private static final int FIRST = 4 + WRITING.length() + 16;
  /** More than a node with a hundred thousand services and regions has to say. */
  static final int MAX_BYTES = 64 << 20;

  /** A new one of this process. */
  static SameHostFile own(Path folder, long random) {
    ProcessName self = ProcessName.own();
    return new SameHostFile(folder.resolve(self.file(Long.toHexString(random) + SUFFIX)), self);
  }

  /** Empty for files that are something else. */
  static Optional<SameHostFile> parse(Path path) {
    String name = path.getFileName().toString();
    return name.endsWith(SUFFIX) ? ProcessName.of(name).map(writer -> new SameHostFile(path, writer)) : Optional.empty();
  }

  /** An entry as the file has it; a later one of the same key takes its place. */
  static Buffer record(DirectoryEntry entry) {
    Buffer bytes = entry.toBuffer();
    return Buffer.buffer(4 + bytes.length()).appendInt(bytes.length()).appendBuffer(bytes);
  }

  /** The end of an entry: the key, behind its length below zero. */
  static Buffer removal(DirectoryEntry entry) {
    return removal(entry.key());
  }

  private static Buffer removal(String of) {
    Buffer key = Buffer.buffer(of);
    return Buffer.buffer(4 + key.length()).appendInt(-key.length()).appendBuffer(key);
  }

  /** @return its bytes. @throws RdmaException {@code LIMIT} if others would not read it, or there is no room for it */
  int write(List<DirectoryEntry> entries) throws IOException {
    Buffer content = removal(WRITING + HexFormat.of().toHexDigits(AbstractDirectory.newEpoch()));
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
   * Adds records at its end, and tells who looks at the folder.
   *
   * @param size bytes that it has
   * @return false if it has not: somebody removed it
   */
  boolean append(int size, Buffer records) throws IOException {
    if (!RuntimeFolder.append(path, size, records.getBytes())) {
      return false;
    }
    Files.setLastModifiedTime(path.getParent(), FileTime.from(Instant.now()));
    return true;
  }

  /** Records from a place of the file to its end. @param writing the name of the writing of the whole file, empty if it has none */
  record Part(String writing, long from, Buffer records) {
  }

  /**
   * Reads what was added.
   *
   * @param writing what the reader knows of the file, up to the position
   * @return all, from 0, if it is another one now
   */
  Part read(String writing, long position) throws IOException {
    try (FileChannel channel = FileChannel.open(path)) {
      long size = channel.size();
      if (size > MAX_BYTES) {
        throw new IllegalArgumentException("it is longer than a node's file: " + size + " bytes, at most " + MAX_BYTES);
      }
      Buffer first = bytes(channel, 0, Math.min(FIRST, size));
      String now = first.length() == FIRST && first.getInt(0) == 4 - FIRST ? first.getString(4, FIRST) : "";
      long from = now.startsWith(WRITING) && now.equals(writing) && position <= size ? position : 0;
      return new Part(now, from, bytes(channel, from, size));
    }
  }

  private static Buffer bytes(FileChannel channel, long from, long to) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) (to - from));
    while (bytes.hasRemaining() && channel.read(bytes, from + bytes.position()) > 0) {
      // Until all is there, or it is shorter now.
    }
    return Buffer.buffer(Arrays.copyOf(bytes.array(), bytes.position()));
  }

  /** All entries. @throws IllegalArgumentException if it holds none */
  List<DirectoryEntry> read() throws IOException {
    return entries(read("", 0).records());
  }

  /** The entries in a content, of which the last record may be on its way. @throws IllegalArgumentException if it holds something else */
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
   * Tells of each record of a content, of which the last one may be on its way.
   *
   * @param each takes a key and its entry, null for the end of one
   * @return length of the records that are whole
   * @throws IllegalArgumentException if it holds something else
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
