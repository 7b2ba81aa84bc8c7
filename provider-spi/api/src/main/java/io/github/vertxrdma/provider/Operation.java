package io.github.vertxrdma.provider;

public enum Operation {
  SEND(null),
  RECEIVE(null),
  WRITE(Access.REMOTE_WRITE),
  READ(Access.REMOTE_READ),
  SEND_IMMEDIATE(null),
  /** Writes, and makes a completion at the target. */
  WRITE_IMMEDIATE(Access.REMOTE_WRITE),
  FETCH_ADD(Access.REMOTE_ATOMIC),
  COMPARE_SWAP(Access.REMOTE_ATOMIC),
  /** Arrival of a peer's {@link #WRITE_IMMEDIATE}. Used only in completions. */
  REMOTE_WRITE(null);

  private final Access remoteAccess;
  private final boolean oneSided;
  private final boolean read;

  Operation(Access remoteAccess) {
    this.remoteAccess = remoteAccess;
    oneSided = remoteAccess != null;
    read = oneSided && remoteAccess != Access.REMOTE_WRITE;
  }

  /** Returns whether this is a read or an atomic, which {@link Endpoint#readsInFlight()} limits. */
  public boolean isRead() {
    return read;
  }

  /** Returns whether the work request names memory of the peer. */
  public boolean isOneSided() {
    return oneSided;
  }

  public boolean isAtomic() {
    return remoteAccess == Access.REMOTE_ATOMIC;
  }

  public boolean hasImmediate() {
    return this == SEND_IMMEDIATE || this == WRITE_IMMEDIATE;
  }

  /** Returns the access that the peer's region must grant; null if not one-sided. */
  public Access remoteAccess() {
    return remoteAccess;
  }
}
