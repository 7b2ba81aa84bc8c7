package io.github.vertxrdma.impl.directory;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.impl.process.ProcessName;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Name and content of a node's file in the same-host directory. The name {@code PIDNS-PID-START-RANDOM.node} tells whether the process that
 * wrote it lives without opening it; the content is the node's entries, each behind its length, and which of them are gone.
 */
public record SameHostFile(Path path, ProcessName writer) {
  private static final String SUFFIX = ".node";
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
    Buffer key = Buffer.buffer(entry.key());
    return Buffer.buffer(4 + key.length()).appendInt(-key.length()).appendBuffer(key);
  }

  /** @return its bytes. @throws RdmaException {@code LIMIT} if others would not read it, or there is no room for it */
  int write(List<DirectoryEntry> entries) throws IOException {
    Buffer content = Buffer.buffer();
    entries.forEach(entry -> content.appendBuffer(record(entry)));
    if (content.length() > MAX_BYTES) {
      throw new RdmaException(Reason.LIMIT, path + " would have " + content.length() + " bytes, more than the " + MAX_BYTES + " that a node's"
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

  /** @throws IllegalArgumentException if it holds no entries */
  List<DirectoryEntry> read() throws IOException {
    if (Files.size(path) > MAX_BYTES) {
      throw new IllegalArgumentException(path + " is longer than a node's file: " + Files.size(path) + " bytes, at most " + MAX_BYTES);
    }
    try {
      return entries(Buffer.buffer(Files.readAllBytes(path)));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(path + ": " + e.getMessage(), e);
    }
  }

  /** The entries in a content, of which the last record may be on its way. @throws IllegalArgumentException if it holds something else */
  public static List<DirectoryEntry> entries(Buffer content) {
    Map<String, DirectoryEntry> entries = new LinkedHashMap<>();
    for (int at = 0; content.length() - at >= 4; ) {
      int length = content.getInt(at);
      int end = at + 4 + Math.abs(length);
      if (end < at) {
        throw new IllegalArgumentException("not a file of the same-host directory");
      }
      if (end > content.length()) {
        break;
      }
      if (length < 0) {
        entries.remove(content.getString(at + 4, end));
      } else {
        DirectoryEntry entry = DirectoryEntry.fromBuffer(content.getBuffer(at + 4, end));
        entries.put(entry.key(), entry);
      }
      at = end;
    }
    return List.copyOf(entries.values());
  }
}
