package io.github.vertxrdma.grpc;

/** Choice of the instance of a server's name for a call. */
public enum Balancing {
  /** Each in turn. */
  ROUND_ROBIN,
  /** The instance with the fewest calls in flight from this context; among equals always the same one. */
  LEAST_OUTSTANDING
}
