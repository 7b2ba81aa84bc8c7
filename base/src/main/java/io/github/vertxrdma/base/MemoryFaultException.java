package io.github.vertxrdma.base;

/** Thrown if an access to memory that is mapped from a file fails. */
public final class MemoryFaultException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  MemoryFaultException(InternalError cause) {
    super("cannot access memory that is mapped from a file: the file was truncated, or its file system is full. Keep files at their size"
      + " while they are mapped", cause);
  }
}
