package io.github.vertxrdma.demo;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files of a folder in memory, large ones in parts.
 *
 * @param parts each of a call
 * @param files how many files they are of
 * @param bytes of all parts
 */
record FolderParts(List<Buffer> parts, int files, long bytes) {

  /** Reads files in the order of their names until the limit is reached. @param size bytes of a part at most */
  static FolderParts read(Path folder, int size, long limit) throws IOException {
    List<Path> files;
    try (Stream<Path> walk = Files.walk(folder)) {
      files = walk.filter(file -> Files.isRegularFile(file) && Files.isReadable(file)).sorted().toList();
    }
    List<Buffer> parts = new ArrayList<>();
    long bytes = 0;
    int read = 0;
    for (Path file : files) {
      if (bytes >= limit) {
        break;
      }
      read++;
      try (InputStream in = Files.newInputStream(file)) {
        for (byte[] part; bytes < limit && (part = in.readNBytes((int) Math.min(size, limit - bytes))).length > 0;) {
          parts.add(Buffer.buffer(part));
          bytes += part.length;
        }
      }
    }
    if (parts.isEmpty()) {
      throw new IOException("folder " + folder + " has no files to work on");
    }
    return new FolderParts(parts, read, bytes);
  }
}
