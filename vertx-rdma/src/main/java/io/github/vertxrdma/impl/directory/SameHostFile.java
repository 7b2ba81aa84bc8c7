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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Name and content of a node's file in the same-host directory. The name {@code PIDNS-PID-START-RANDOM.node} tells whether the process that
 * wrote it lives without opening it; the content is the node's entries, each behind its length.
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

  /** @throws RdmaException {@code LIMIT} if others would not read it, or there is no room for it */
  void write(List<DirectoryEntry> entries) throws IOException {
    Buffer content = Buffer.buffer();
    for (DirectoryEntry entry : entries) {
      Buffer bytes = entry.toBuffer();
      content.appendInt(bytes.length()).appendBuffer(bytes);
    }
    if (content.length() > MAX_BYTES) {
      throw new RdmaException(Reason.LIMIT, path + " would have " + content.length() + " bytes, more than the " + MAX_BYTES + " that a node's"
        + " services and regions may take: spread them over several nodes, or offer several things under one name");
    }
    RuntimeFolder.write(path, content.getBytes());
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

  /** The entries in a content. @throws IllegalArgumentException if it holds something else */
  public static List<DirectoryEntry> entries(Buffer content) {
    List<DirectoryEntry> entries = new ArrayList<>();
    for (int at = 0; at < content.length(); ) {
      int length = content.length() - at < 4 ? -1 : content.getInt(at);
      if (length < 0 || length > content.length() - at - 4) {
        throw new IllegalArgumentException("not a file of the same-host directory");
      }
      entries.add(DirectoryEntry.fromBuffer(content.getBuffer(at + 4, at + 4 + length)));
      at += 4 + length;
    }
    return entries;
  }
}
