package io.github.vertxrdma.perf;

/** A measurement failed; the message says what and why, in one line. */
public final class PerfException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PerfException(String message) {
    super(message);
  }
}
