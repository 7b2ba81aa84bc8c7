package io.github.vertxrdma.perf;

/** Thrown if this machine lacks something that a measurement needs. */
public final class SkippedException extends Exception {
  private static final long serialVersionUID = 1;

  public SkippedException(String message) {
    super(message);
  }
}
