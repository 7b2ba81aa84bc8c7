package io.github.vertxrdma.provider;

public enum Waiting {
  /** {@link CompletionQueue#fd()} becomes readable after {@link CompletionQueue#arm()} returned true. */
  FD,
  /** A thread of the provider calls {@link CompletionQueue#wakeupHandler}, once for each {@link CompletionQueue#arm()}. */
  WAKEUP,
  /** Nothing reports completions. The queue must be polled. */
  NONE
}
