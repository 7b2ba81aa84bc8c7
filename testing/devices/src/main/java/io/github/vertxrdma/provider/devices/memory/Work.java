package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;

/** A work request in a send queue; reused. */
final class Work {
  long requestId;
  Operation operation;
  boolean signaled;
  boolean done;
  /** Changes with each use. */
  int generation;
  int status;
  String error;

  /** Tells whether it is still the use of that generation, and not over. */
  boolean isUse(int of) {
    return generation == of && !done;
  }
}
