package io.github.vertxrdma.provider;

/** Counts successful operations of an endpoint; fi_cntr(3) where the device has them, counted here otherwise. Readable from any thread. */
public interface Counter {

  /** Completions that are counted. */
  enum Event { SENDS, RECEIVES, WRITES, READS, ATOMICS, REMOTE_WRITES, ERRORS }

  /** Operations since the last {@link #reset}. */
  long read();

  /** Starts again at 0. */
  void reset();
}
