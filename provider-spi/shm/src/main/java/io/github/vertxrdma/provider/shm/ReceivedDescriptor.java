package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.FileDescriptor;

/**
 * File descriptor that came with a message. The receiver maps it as a peer's {@link AnonymousFile}, or discards it. The peer may send any
 * file. Until its kind is proven, only system calls are made that the file's owner cannot delay.
 */
final class ReceivedDescriptor {
  private static final int SEALS = SystemCalls.SEAL_SHRINK | SystemCalls.SEAL_GROW;

  private final long user;
  private int fd;

  ReceivedDescriptor(int fd, long user) {
    this.fd = fd;
    this.user = user;
  }

  /**
   * Maps the whole file; may be called once.
   *
   * @param bytes announced size
   * @throws ProviderException if the file is not of {@link AnonymousFile}, or has another size, or too many files of the user are mapped
   */
  Mapping map(long bytes, boolean writable) {
    try {
      // The first check: only files in memory have seals, and no other process can delay calls on them.
      int seals = SystemCalls.seals(fd);
      if (seals < 0 || (seals & SEALS) != SEALS) {
        throw new ProviderException(Reason.OTHER, "shm: refused a file of the peer, since the peer could shrink it, which would "
          + "crash this process");
      }
      if (!SystemCalls.isTmpfs(fd)) {
        throw new ProviderException(Reason.OTHER, "shm: refused a file of the peer, since it is of huge pages, which the host may "
          + "not have when they are used");
      }
      // Read after the seals: they stop the peer from changing the size.
      long size = SystemCalls.size(fd);
      if (bytes <= 0 || size != (bytes + AnonymousFile.PAGE - 1 & -AnonymousFile.PAGE)) {
        throw new ProviderException(Reason.OTHER, "shm: the peer sent a file of " + size + " bytes, but announced " + bytes);
      }
      Mapping mapping = Mapping.of(fd, size, writable, user);
      FileDescriptor.close(fd);
      fd = -1;
      return mapping;
    } finally {
      discard();
    }
  }

  /** Closes the descriptor on another thread, unless the file was mapped. */
  void discard() {
    if (fd >= 0) {
      StrayDescriptors.close(fd, user);
      fd = -1;
    }
  }
}
