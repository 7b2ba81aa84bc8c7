package io.github.vertxrdma;

/** Reasons for the loss of access to a remote region. */
public enum RegionEnd {
  /** The owner revoked or closed it. */
  REVOKED,
  /** Either side closed the connection to the owner. */
  CONNECTION_CLOSED,
  /** The connection to the owner was lost. */
  CONNECTION_LOST
}
