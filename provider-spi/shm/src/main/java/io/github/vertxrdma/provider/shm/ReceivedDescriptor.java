package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;

/**
 * Descriptor of a peer's {@link AnonymousFile}, which came with a message. The receiver maps it, which closes the descriptor, or discards
 * it.
 */
final class ReceivedDescriptor {
  private int fd;

  ReceivedDescriptor(int fd) {
    this.fd = fd;
  }

  /**
   * Maps the file; may be called once.
   *
   * @param bytes number of bytes to map, 0 for the whole file
   * @param most maximum size of a file that is mapped completely
   * @throws ProviderException if the file is smaller or larger, or the peer could make it smaller
   */
  Mapping map(long bytes, long most, boolean writable) {
    try {
      int seals = SystemCalls.seals(fd);
      if (seals < 0 || (seals & SystemCalls.SEAL_SHRINK) == 0) {
        throw new ProviderException(Reason.OTHER, "shm: the peer sent a file that it could shrink, which would end this process");
      }
      // Read after the seals: before them the peer may still make the file smaller.
      long size = SystemCalls.size(fd);
      long wanted = bytes == 0 ? size : bytes;
      if (size < wanted || size <= 0 || wanted <= 0 || bytes == 0 && size > most) {
        throw new ProviderException(Reason.OTHER, "shm: the peer sent a file of " + size + " bytes for " + wanted);
      }
      long address = SystemCalls.map(fd, wanted, writable ? SystemCalls.PROT_READ | SystemCalls.PROT_WRITE : SystemCalls.PROT_READ);
      return new Mapping(Memory.segment(address, wanted));
    } finally {
      discard();
    }
  }

  /** Closes the descriptor, unless the file was mapped. */
  void discard() {
    if (fd >= 0) {
      FileDescriptor.close(fd);
      fd = -1;
    }
  }
}
