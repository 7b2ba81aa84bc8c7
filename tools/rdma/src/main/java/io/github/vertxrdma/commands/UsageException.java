package io.github.vertxrdma.commands;

/** A command line that makes no sense; the message says why, in one line. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** @param message follows the command's name */
  public UsageException(String message) {
    super(message);
  }
}
