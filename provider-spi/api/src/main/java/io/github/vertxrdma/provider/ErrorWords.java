package io.github.vertxrdma.provider;

/** Texts of this process for errors of system calls, in its language. Found with {@link java.util.ServiceLoader}. */
public interface ErrorWords {

  /**
   * Calls strerror(3). Thread-safe.
   *
   * @return null if it is not available, for instance if this process may not call native code
   */
  String of(int errno);
}
