package io.github.vertxrdma.differential;

enum Reader {
  READS,
  /** Does not read before the writer has ended. */
  PAUSED,
  /** Blocks its event loop for 300 ms at the first message, then for 5 ms at each. */
  SLOW
}
