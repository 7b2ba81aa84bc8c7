package io.github.vertxrdma.base;

/** An access to memory failed because the file that it is mapped from has no such page any more. */
public final class MemoryFaultException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  MemoryFaultException(InternalError cause) {
    super("cannot access memory that is mapped from a file: the file was truncated, or its file system is full. Keep files at their size"
      + " while they are mapped", cause);
  }
}
