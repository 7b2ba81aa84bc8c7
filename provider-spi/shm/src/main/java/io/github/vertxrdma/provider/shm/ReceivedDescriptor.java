package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.FileDescriptor;

/**
 * File descriptor that came with a message. A peer can send any file. Until the kind of file is checked, this class makes only system calls
 * that the file's owner cannot delay.
 */
final class ReceivedDescriptor {
  private static final int SEALS = SystemCalls.SEAL_SHRINK | SystemCalls.SEAL_GROW;

  private final long user;
  private int fd;

  ReceivedDescriptor(int fd, long user) {
    this.fd = fd;
    this.user = user;
  }

  /** Maps the whole file. May be called once. Throws if the file is not from {@link AnonymousFile}, or has another size than announced. */
  Mapping map(long bytes, boolean writable) {
    try {
      // Checked first: only files in memory have seals, and no other process can delay calls on them.
      int seals = SystemCalls.seals(fd);
      if (seals < 0 || (seals & SEALS) != SEALS) {
        throw new ProviderException(Reason.OTHER, "shm: cannot map a file of the peer: the peer could shrink it, which would "
          + "crash this process");
      }
      if (!SystemCalls.isTmpfs(fd)) {
        throw new ProviderException(Reason.OTHER, "shm: cannot map a file of the peer: it uses huge pages, of which the host may "
          + "have none left when this process accesses them");
      }
      // Read after the seals, which keep the peer from changing the size.
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

  void discard() {
    if (fd >= 0) {
      StrayDescriptors.close(fd, user);
      fd = -1;
    }
  }
}
