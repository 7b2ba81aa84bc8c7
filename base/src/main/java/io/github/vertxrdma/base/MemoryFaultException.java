package io.github.vertxrdma.base;

/** Thrown if a page no longer exists in the file that memory is mapped from. */
public final class MemoryFaultException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  MemoryFaultException(InternalError cause) {
    super("cannot access memory that is mapped from a file: the file was truncated, or its file system is full. Keep files at their size"
      + " while they are mapped", cause);
  }
}
