package io.github.vertxrdma.functions;

/** The way in which a worker waits for calls. */
public enum WorkerMode {
  /** Its event loop polls and never sleeps, at the price of a core; after some idle time it becomes warm until the next call. */
  HOT,
  /** Its event loop sleeps until the fabric wakes it. */
  WARM,
  /** A process of its own, started for the lease and gone with it, that sleeps until the fabric wakes it. */
  COLD
}
