package io.github.vertxrdma.grpc.impl;

/** Bytes that are no frame, or a frame that has no meaning where it came. */
final class FrameException extends RuntimeException {
  private static final long serialVersionUID = 1;

  FrameException(String message) {
    super(message);
  }
}
