package io.github.vertxrdma.provider;

/** Ways for the owner of a completion queue to sleep until something happens. */
public enum Waiting {
  /** {@link CompletionQueue#fd()} becomes readable after {@link CompletionQueue#arm()} returned true. */
  FD,
  /**
   * The handler given to {@link CompletionQueue#wakeupHandler} runs, once per {@link CompletionQueue#arm()}, on a thread of the provider.
   */
  WAKEUP,
  /** Unsupported: the queue must be polled, or peers wake its owner by means above the SPI. */
  NONE
}
