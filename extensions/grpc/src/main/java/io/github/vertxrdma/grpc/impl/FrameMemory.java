package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaMessage;

/** Registered memory of a received frame: released with the frame, unless a message takes it over. */
final class FrameMemory {
  private RdmaMessage message;

  FrameMemory(RdmaMessage message) {
    this.message = message;
  }

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
