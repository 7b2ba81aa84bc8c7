package io.github.vertxrdma.perf;

/** Something that is not on this machine; the message names it, in one line. */
final class SkippedException extends Exception {
  private static final long serialVersionUID = 1;

  SkippedException(String message) {
    super(message);
  }
}
