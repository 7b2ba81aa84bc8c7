package io.github.vertxrdma.cli;

/** Reports a failed command, with cause and remedy in one line. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CommandException(String message) {
    super(message);
  }

  CommandException(String message, Throwable cause) {
    super(message, cause);
  }
}
