package io.github.vertxrdma.directory;

/** Registered handler of directory changes. */
public interface DirectoryWatch extends AutoCloseable {

  /** Removes the handler. Idempotent. */
  @Override
  void close();
}
