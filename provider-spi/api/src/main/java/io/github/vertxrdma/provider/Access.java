package io.github.vertxrdma.provider;

/** Access rights of a memory region; fi_mr(3), ibv_reg_mr(3). Local reads are always allowed. */
public enum Access {
  /** Permits receives, reads and results of atomics. */
  LOCAL_WRITE,
  REMOTE_READ,
  REMOTE_WRITE,
  /** Permits atomics of peers, on aligned words of 8 bytes. */
  REMOTE_ATOMIC,
  /** Permits results of this side's remote reads. On iWARP this right also lets peers write. */
  READ_SINK
}
