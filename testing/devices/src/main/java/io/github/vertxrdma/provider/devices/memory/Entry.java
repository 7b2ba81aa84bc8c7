package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;

/** A completion or a connection event that waits to be drained. Entries are reused. */
final class Entry {
  long requestId;
  Operation operation;
  int status;
  long length;
  long immediate;
  boolean hasImmediate;
  Endpoint endpoint;
  /** The message of a receive without memory. Null otherwise. */
  byte[] message;
  Object owner;
  String error;
  SendQueue sendQueue;
  int slots;
  int reads;
  /** The connection event. Null for a completion. */
  Runnable event;

  void clear() {
    hasImmediate = false;
    endpoint = null;
    message = null;
    owner = null;
    error = null;
    sendQueue = null;
    slots = 0;
    reads = 0;
    event = null;
    status = 0;
    length = 0;
  }
}
