package io.github.vertxrdma.commands;

/** Thrown if a command line is invalid. The message is printed in one line after the command's name. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public UsageException(String message) {
    super(message);
  }
}
