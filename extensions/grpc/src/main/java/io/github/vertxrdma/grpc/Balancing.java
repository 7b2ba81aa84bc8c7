package io.github.vertxrdma.grpc;

/** Rule by which a client chooses one of several servers with the same name for a call. */
public enum Balancing {
  /** Takes each server in turn. */
  ROUND_ROBIN,
  /** Takes the server with the fewest calls in flight from the calling context; among equals always the same one. */
  LEAST_OUTSTANDING
}
