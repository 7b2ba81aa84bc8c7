package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;

/** A work request in a send queue. Objects are reused. */
final class Work {
  long requestId;
  Operation operation;
  boolean signaled;
  boolean done;
  /** The number of the use. It changes with each use of the object. */
  int generation;
  int status;
  String error;

  /** Returns whether the object is in the use of a generation, and not done. */
  boolean isUse(int of) {
    return generation == of && !done;
  }
}
