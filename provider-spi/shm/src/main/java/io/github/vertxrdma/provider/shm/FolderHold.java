package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.nio.file.Path;
import java.util.List;

/** Shared locks on folders, flock(2), because systemd-tmpfiles does not clean locked folders. Thread-safe. */
final class FolderHold implements AutoCloseable {
  private final List<Path> folders;
  private int[] descriptors = {};
  private boolean closed;

  FolderHold(List<Path> folders) {
    this.folders = folders;
    renew();
  }

  synchronized void renew() {
    if (closed) {
      return;
    }
    release();
    descriptors = folders.stream().mapToInt(folder -> SystemCalls.openToRead(folder.toString())).filter(fd -> fd >= 0).toArray();
    for (int fd : descriptors) {
      SystemCalls.lock(fd, SystemCalls.LOCK_SHARED);
    }
  }

  private void release() {
    for (int fd : descriptors) {
      FileDescriptor.close(fd);
    }
    descriptors = new int[0];
  }

  @Override
  public synchronized void close() {
    closed = true;
    release();
  }
}
