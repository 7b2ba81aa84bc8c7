package io.github.vertxrdma.cli;

/** A command could not do its work; the message says why and what to do, in one line. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CommandException(String message) {
    super(message);
  }

  CommandException(String message, Throwable cause) {
    super(message, cause);
  }
}
