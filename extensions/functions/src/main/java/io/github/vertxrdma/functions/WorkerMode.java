package io.github.vertxrdma.functions;

/** Way in which a worker waits for calls. */
public enum WorkerMode {
  /** The worker's event loop polls, which uses a core. After some idle time the worker is warm until the next call. */
  HOT,
  /** The worker's event loop sleeps until the fabric wakes it. */
  WARM,
  /** The worker is a separate process, which lives as long as the lease, and sleeps until the fabric wakes it. */
  COLD
}
