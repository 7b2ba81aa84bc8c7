package io.github.vertxrdma;

/** Reasons for the loss of access to a remote region. */
public enum RegionEnd {
  /** The owner revoked or closed the region. */
  REVOKED,
  /** Either side closed the connection. */
  CONNECTION_CLOSED,
  /** The connection failed. */
  CONNECTION_LOST
}
