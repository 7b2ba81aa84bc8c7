package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaMessage;

/** Registered memory that a frame has come in: given back with the frame, unless somebody takes it over with the message in it. */
final class FrameMemory {
  private RdmaMessage message;

  FrameMemory(RdmaMessage message) {
    this.message = message;
  }

  /** It is the caller's from now on. */
  RdmaMessage take() {
    RdmaMessage taken = message;
    message = null;
    return taken;
  }

  void release() {
    if (message != null) {
      take().release();
    }
  }
}
