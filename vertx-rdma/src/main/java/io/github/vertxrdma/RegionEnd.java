package io.github.vertxrdma;

/** Reasons for which a remote region cannot be used any more. */
public enum RegionEnd {
  /** Its owner took it back, or closed it. */
  REVOKED,
  /** The connection to its owner was closed, by either side. */
  CONNECTION_CLOSED,
  /** The connection to its owner is lost, with the owner's node or the way to it. */
  CONNECTION_LOST
}
