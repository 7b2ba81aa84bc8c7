package io.github.vertxrdma.grpc.impl;

/** Reports an invalid frame. */
final class FrameException extends RuntimeException {
  private static final long serialVersionUID = 1;

  FrameException(String message) {
    super(message);
  }
}
