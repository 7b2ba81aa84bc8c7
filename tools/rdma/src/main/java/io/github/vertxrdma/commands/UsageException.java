package io.github.vertxrdma.commands;

/** Thrown if a command line is invalid; the message gives the error in one line. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** @param message error in one line, printed after the command's name */
  public UsageException(String message) {
    super(message);
  }
}
