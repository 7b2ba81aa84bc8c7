package io.github.vertxrdma.grpc;

/** Which instance of a server's name a call goes to. */
public enum Balancing {
  /** Each in turn. */
  ROUND_ROBIN,
  /** The one with the fewest calls under way from this context; among equals always the same one. */
  LEAST_OUTSTANDING
}
