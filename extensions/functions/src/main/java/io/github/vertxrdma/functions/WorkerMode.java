package io.github.vertxrdma.functions;

/** Way in which a worker waits for calls. */
public enum WorkerMode {
  /** Its event loop polls and never sleeps, which uses a core; after some idle time it becomes warm until the next call. */
  HOT,
  /** Its event loop sleeps until the fabric wakes it. */
  WARM,
  /** A separate process, started for the lease and ended with it, that sleeps until the fabric wakes it. */
  COLD
}
