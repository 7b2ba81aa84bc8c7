package io.github.vertxrdma.perf;

/** Reports what a measurement needs and this machine lacks, in one line. */
public final class SkippedException extends Exception {
  private static final long serialVersionUID = 1;

  public SkippedException(String message) {
    super(message);
  }
}
