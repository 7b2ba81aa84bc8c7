package io.github.vertxrdma.provider;

/** Texts of system errors in the process's language, found with {@link java.util.ServiceLoader}. */
public interface ErrorWords {

  /** Calls strerror(3). Thread-safe. @return null if strerror cannot be called */
  String of(int errno);
}
