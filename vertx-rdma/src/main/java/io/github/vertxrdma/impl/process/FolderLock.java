package io.github.vertxrdma.impl.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lock of a folder among processes, held by one thread of a process at a time, since closing a file drops all locks of the process on it,
 * fcntl_locking(2).
 */
public final class FolderLock implements AutoCloseable {
  private static final long TIMEOUT_MILLIS = 5_000;
  private static final ReentrantLock PROCESS = new ReentrantLock();

  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  /** @throws IOException if another process holds it for too long */
  public static FolderLock take(Path folder) throws IOException {
    PROCESS.lock();
    FileChannel channel = null;
    try {
      channel = FileChannel.open(folder.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      long start = System.nanoTime();
      FileLock lock = channel.tryLock();
      while (lock == null) {
        if (System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS)) {
          throw new IOException(folder + " has been locked by another process for " + TIMEOUT_MILLIS + " ms, which may be stopped: continue"
            + " or end it");
        }
        LockSupport.parkNanos(1_000_000);
        lock = channel.tryLock();
      }
      return new FolderLock(channel);
    } catch (IOException | RuntimeException e) {
      if (channel != null) {
        channel.close();
      }
      PROCESS.unlock();
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      PROCESS.unlock();
    }
  }
}
