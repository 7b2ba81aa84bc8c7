package io.github.vertxrdma.provider;

/** Number of an endpoint's successful operations of one kind, or errors. Thread-safe. */
public interface Counter {

  enum Event { SENDS, RECEIVES, WRITES, READS, ATOMICS, REMOTE_WRITES, ERRORS }

  long read();

  void reset();
}
