package io.github.vertxrdma.provider;

public enum Waiting {
  /** {@link CompletionQueue#fd()} becomes readable after {@link CompletionQueue#arm()} returned true. */
  FD,
  /** The handler of {@link CompletionQueue#wakeupHandler} runs, once per {@link CompletionQueue#arm()}, on a thread of the provider. */
  WAKEUP,
  /** The queue must be polled, or woken from above the SPI. */
  NONE
}
