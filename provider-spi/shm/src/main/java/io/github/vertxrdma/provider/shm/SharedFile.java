package io.github.vertxrdma.provider.shm;

import java.lang.foreign.MemorySegment;

/** Memory in a file of its own, which peers map: zeros at first, all of it allocated, so that no access finds the host without memory. */
interface SharedFile {
  long PAGE = 4096;

  /** Bytes from the start of the file, until {@link #unmap}. */
  MemorySegment memory();

  void unmap();

  /** Keeps it so that it can be handed out, until {@link #release}. */
  void hold();

  /** It is not to be handed out by the caller any more. It began with one that may. */
  void release();
}
