package io.github.vertxrdma.provider;

/**
 * Counts successful operations of an endpoint: by fi_cntr(3) if the device has such counters, otherwise in this library. Readable from any
 * thread.
 */
public interface Counter {

  /** Completions that are counted. */
  enum Event { SENDS, RECEIVES, WRITES, READS, ATOMICS, REMOTE_WRITES, ERRORS }

  /** Returns the number of operations since the last {@link #reset}. */
  long read();

  /** Sets the counter to 0. */
  void reset();
}
