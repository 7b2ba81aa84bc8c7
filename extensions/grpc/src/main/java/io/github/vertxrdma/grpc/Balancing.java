package io.github.vertxrdma.grpc;

/** Rule by which a client chooses a server for a call if several have the same name. */
public enum Balancing {
  /** Takes each server in turn. */
  ROUND_ROBIN,
  /** Takes the server with the fewest calls in flight from this context; among equals always the same one. */
  LEAST_OUTSTANDING
}
