package io.github.vertxrdma.directory;

/** A handler that hears of the directory's changes. */
public interface DirectoryWatch extends AutoCloseable {

  /** Hears no more. Idempotent. */
  @Override
  void close();
}
