package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;

/** A peer's {@link SharedFile}, which came with a message: the receiver's to map, or to discard. */
interface PeerFile {

  /**
   * Maps it; once.
   *
   * @param bytes at least so many; 0 for all of it
   * @param most of a file that is mapped as a whole
   * @throws ProviderException if it is smaller, or could become smaller where that can be told
   */
  Mapping map(long bytes, long most, boolean writable);

  /** Gives it back if it was not mapped. */
  void discard();
}
