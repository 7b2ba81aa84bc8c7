package io.github.vertxrdma.perf;

/** Thrown if a measurement needs something that is missing on this machine; the message names it in one line. */
public final class SkippedException extends Exception {
  private static final long serialVersionUID = 1;

  public SkippedException(String message) {
    super(message);
  }
}
