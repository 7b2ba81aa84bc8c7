package io.github.vertxrdma.perf;

public final class PerfException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PerfException(String message) {
    super(message);
  }
}
