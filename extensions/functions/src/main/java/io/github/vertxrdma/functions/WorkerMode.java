package io.github.vertxrdma.functions;

/** Way in which a worker waits for calls. */
public enum WorkerMode {
  /** Its event loop polls, which uses a core. After some idle time it is warm until the next call. */
  HOT,
  /** Its event loop sleeps until the fabric wakes it. */
  WARM,
  /** A separate process, which lives as long as the lease, and sleeps until the fabric wakes it. */
  COLD
}
