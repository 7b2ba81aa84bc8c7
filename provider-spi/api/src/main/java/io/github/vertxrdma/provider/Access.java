package io.github.vertxrdma.provider;

/** Uses of a registered memory region; fi_mr(3), ibv_reg_mr(3). Local reads are always allowed. */
public enum Access {
  /** The device may write into it for this process: receives, destinations of reads, results of atomics. */
  LOCAL_WRITE,
  /** Peers that hold the remote key may read it. */
  REMOTE_READ,
  /** Peers that hold the remote key may write it. */
  REMOTE_WRITE,
  /** Peers that hold the remote key may use atomics on its 8-byte aligned words. */
  REMOTE_ATOMIC,
  /**
   * It is the destination of this process's own remote reads. iWARP requires remote write access for it, others only local write access.
   */
  READ_SINK
}
