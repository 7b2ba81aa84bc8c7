package io.github.vertxrdma.provider;

public enum Waiting {
  /** {@link CompletionQueue#fd()} of an armed queue becomes readable when there is something to poll. */
  FD,
  /** A thread of the provider calls {@link CompletionQueue#wakeupHandler}, once for each {@link CompletionQueue#arm()}. */
  WAKEUP,
  /** Nothing reports completions: poll the queue. */
  NONE
}
