package io.github.vertxrdma.provider;

/** Counts successful operations of an endpoint. Readable from any thread. */
public interface Counter {

  enum Event { SENDS, RECEIVES, WRITES, READS, ATOMICS, REMOTE_WRITES, ERRORS }

  long read();

  void reset();
}
