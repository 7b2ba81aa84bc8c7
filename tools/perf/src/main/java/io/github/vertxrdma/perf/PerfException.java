package io.github.vertxrdma.perf;

/** Reports a failed measurement, with its cause in one line. */
public final class PerfException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PerfException(String message) {
    super(message);
  }
}
