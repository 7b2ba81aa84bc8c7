package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.RdmaMessage;

/** Registered memory with a received frame: released with the frame, unless a message in it takes the memory over. */
final class FrameMemory {
  private RdmaMessage message;

  FrameMemory(RdmaMessage message) {
    this.message = message;
  }

  /** Transfers the memory to the caller. */
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
