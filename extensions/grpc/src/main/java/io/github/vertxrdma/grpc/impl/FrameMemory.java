package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaMessage;

/** Registered memory of a received frame. Released after the frame was handled, unless a message keeps it. */
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
