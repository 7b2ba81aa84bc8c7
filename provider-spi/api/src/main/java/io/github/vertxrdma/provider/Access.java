package io.github.vertxrdma.provider;

/** Access rights of a memory region; fi_mr(3), ibv_reg_mr(3). Local reads are always allowed. */
public enum Access {
  /** Lets receives, reads and atomics of this side store results in the region. */
  LOCAL_WRITE,
  REMOTE_READ,
  REMOTE_WRITE,
  /** Lets peers execute atomics on aligned 8-byte words. */
  REMOTE_ATOMIC,
  /** Lets reads of this side store results in the region. On iWARP, peers can then write to it. */
  READ_SINK
}
