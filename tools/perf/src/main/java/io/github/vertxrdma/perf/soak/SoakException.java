package io.github.vertxrdma.perf.soak;

/** A member does not do what it is told. */
final class SoakException extends RuntimeException {
  private static final long serialVersionUID = 1;

  SoakException(String message) {
    super(message);
  }
}
