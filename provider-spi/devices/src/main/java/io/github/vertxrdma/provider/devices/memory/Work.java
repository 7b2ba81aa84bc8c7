package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;

/** A work request in a send queue; reused. */
final class Work {
  long requestId;
  Operation operation;
  boolean signaled;
  boolean done;
  int status;
  String error;
}
