package io.github.vertxrdma.provider;

public enum Operation {
  SEND(Counter.Event.SENDS, null),
  RECEIVE(Counter.Event.RECEIVES, null),
  WRITE(Counter.Event.WRITES, Access.REMOTE_WRITE),
  READ(Counter.Event.READS, Access.REMOTE_READ),
  SEND_IMMEDIATE(Counter.Event.SENDS, null),
  /** Writes, and makes a completion at the target. */
  WRITE_IMMEDIATE(Counter.Event.WRITES, Access.REMOTE_WRITE),
  FETCH_ADD(Counter.Event.ATOMICS, Access.REMOTE_ATOMIC),
  COMPARE_SWAP(Counter.Event.ATOMICS, Access.REMOTE_ATOMIC),
  /** Arrival of a peer's {@link #WRITE_IMMEDIATE}. Used only in completions. */
  REMOTE_WRITE(Counter.Event.REMOTE_WRITES, null);

  private final Counter.Event counter;
  private final Access remoteAccess;
  private final boolean oneSided;
  private final boolean read;

  Operation(Counter.Event counter, Access remoteAccess) {
    this.counter = counter;
    this.remoteAccess = remoteAccess;
    oneSided = remoteAccess != null;
    read = oneSided && remoteAccess != Access.REMOTE_WRITE;
  }

  /** Returns whether this is a read or an atomic. {@link Endpoint#readsInFlight()} limits such operations. */
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

  public Counter.Event counter() {
    return counter;
  }
}
