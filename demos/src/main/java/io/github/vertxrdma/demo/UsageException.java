package io.github.vertxrdma.demo;

/** The command line of a demo is wrong; the message says how. */
final class UsageException extends Exception {
  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }
}
