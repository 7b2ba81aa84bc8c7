package io.github.vertxrdma.perf;

/** Thrown if a measurement fails; the message names measurement and cause in one line. */
public final class PerfException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PerfException(String message) {
    super(message);
  }
}
