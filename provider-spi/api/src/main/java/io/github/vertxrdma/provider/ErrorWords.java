package io.github.vertxrdma.provider;

/** Words that this process has for errors of system calls, in its language. Found with {@link java.util.ServiceLoader}. */
public interface ErrorWords {

  /** strerror(3). Any thread. @return null where they cannot be had: this process may not call native code, say */
  String of(int errno);
}
