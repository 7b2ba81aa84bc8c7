package io.github.vertxrdma.impl.directory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A locked file beside a node's file of the same-host directory. The kernel frees the lock when the process ends, and not while that is
 * stopped, so that processes of other PID namespaces know that it lives. The process itself never opens the file again: closing any
 * descriptor of a file frees all locks that the process has on it, fcntl_locking(2).
 */
final class LifeMark implements AutoCloseable {
  private static final String SUFFIX = ".lock";

  private final Path path;
  private final FileChannel channel;

  private LifeMark(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  private static Path of(Path nodeFile) {
    return nodeFile.resolveSibling(nodeFile.getFileName() + SUFFIX);
  }

  /** Creates and locks the mark of a node's file of this process. @throws IOException if the file system has no locks */
  static LifeMark take(Path nodeFile) throws IOException {
    Path path = of(nodeFile);
    FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      channel.lock();
      return new LifeMark(path, channel);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Returns whether the process of a node's file holds its mark. Not for files of this process. */
  static boolean isHeld(Path nodeFile) {
    try (FileChannel channel = FileChannel.open(of(nodeFile), StandardOpenOption.WRITE)) {
      return channel.tryLock() == null;
    } catch (OverlappingFileLockException e) {
      // Another directory of this process looks at it now.
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Deletes the mark of a process that has ended. */
  static void delete(Path nodeFile) throws IOException {
    Files.deleteIfExists(of(nodeFile));
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(path);
    channel.close();
  }
}
