package io.github.vertxrdma.provider;

/** Number of successful operations of an endpoint. Thread-safe. */
public interface Counter {

  enum Event { SENDS, RECEIVES, WRITES, READS, ATOMICS, REMOTE_WRITES, ERRORS }

  long read();

  void reset();
}
