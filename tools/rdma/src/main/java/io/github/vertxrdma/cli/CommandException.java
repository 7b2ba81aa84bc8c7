package io.github.vertxrdma.cli;

/** Thrown if a command fails; the message has cause and remedy in one line. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CommandException(String message) {
    super(message);
  }

  CommandException(String message, Throwable cause) {
    super(message, cause);
  }
}
