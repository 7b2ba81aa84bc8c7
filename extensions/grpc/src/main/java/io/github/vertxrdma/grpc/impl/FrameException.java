package io.github.vertxrdma.grpc.impl;

/** Thrown for bytes that are no frame, or a frame that is not allowed. */
final class FrameException extends RuntimeException {
  private static final long serialVersionUID = 1;

  FrameException(String message) {
    super(message);
  }
}
