package io.github.vertxrdma.provider;

/** Uses of a memory region; fi_mr(3), ibv_reg_mr(3). Local reads are always allowed. */
public enum Access {
  /** The device may write into it: receives, destinations of reads, results of atomics. */
  LOCAL_WRITE,
  REMOTE_READ,
  REMOTE_WRITE,
  /** Peers may use atomics on its 8-byte aligned words. */
  REMOTE_ATOMIC,
  /** Destination of this process's remote reads. iWARP requires remote write access for it. */
  READ_SINK
}
