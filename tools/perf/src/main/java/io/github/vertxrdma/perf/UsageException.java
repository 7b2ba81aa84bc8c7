package io.github.vertxrdma.perf;

/** A command line that makes no sense; the message says why, in one line. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }
}
