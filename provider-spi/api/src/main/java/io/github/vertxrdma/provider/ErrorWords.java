package io.github.vertxrdma.provider;

/** Texts for errors of system calls in the process's language, found with {@link java.util.ServiceLoader}. */
public interface ErrorWords {

  /**
   * Calls strerror(3). Thread-safe.
   *
   * @return null if it cannot be called
   */
  String of(int errno);
}
