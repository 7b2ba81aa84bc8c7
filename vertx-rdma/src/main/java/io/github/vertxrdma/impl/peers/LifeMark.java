package io.github.vertxrdma.impl.peers;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A lock file beside a node's file, which shows processes of other PID namespaces that this one is alive. The kernel releases the lock when
 * the process ends, not while it is stopped. The process never opens the file again: closing any descriptor of a file releases all locks of
 * the process on it, fcntl_locking(2).
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

  /** Creates and locks the file. @throws IOException if the file system has no locks */
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

  /** Returns true if the process of a node's file holds the lock. Must not be called for files of this process. */
  static boolean isHeld(Path nodeFile) {
    try (FileChannel channel = FileChannel.open(of(nodeFile), StandardOpenOption.WRITE)) {
      return channel.tryLock() == null;
    } catch (OverlappingFileLockException e) {
      // Another directory of this process checks the lock now.
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  static void delete(Path nodeFile) throws IOException {
    Files.deleteIfExists(of(nodeFile));
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(path);
    channel.close();
  }
}
