package io.github.vertxrdma.functions;

/** Mode in which a worker waits for calls. */
public enum WorkerMode {
  /**
   * The worker's event loop polls, which uses a core. After {@link FunctionServerOptions#getHotIdleTimeout} it sleeps until the next call.
   */
  HOT,
  /** The worker's event loop sleeps until a call arrives. */
  WARM,
  /** The worker is a separate process, which ends with the lease and sleeps until a call arrives. */
  COLD
}
