package io.github.vertxrdma.provider;

/** Access rights of a memory region; fi_mr(3), ibv_reg_mr(3). Local reads are always allowed. */
public enum Access {
  /** For receives, reads and results of atomics. */
  LOCAL_WRITE,
  REMOTE_READ,
  REMOTE_WRITE,
  /** For atomics of peers, on aligned words of 8 bytes. */
  REMOTE_ATOMIC,
  /** For memory into which remote reads write. On iWARP this right implies remote write access. */
  READ_SINK
}
