package io.github.vertxrdma.provider;

/** Operations of the SPI, and kinds of completions that report them. */
public enum Operation {
  SEND(Counter.Event.SENDS, null),
  RECEIVE(Counter.Event.RECEIVES, null),
  WRITE(Counter.Event.WRITES, Access.REMOTE_WRITE),
  READ(Counter.Event.READS, Access.REMOTE_READ),
  /** A send that carries an immediate (remote CQ data). */
  SEND_IMMEDIATE(Counter.Event.SENDS, null),
  /** A write that carries an immediate and therefore makes a completion at the target. */
  WRITE_IMMEDIATE(Counter.Event.WRITES, Access.REMOTE_WRITE),
  FETCH_ADD(Counter.Event.ATOMICS, Access.REMOTE_ATOMIC),
  COMPARE_SWAP(Counter.Event.ATOMICS, Access.REMOTE_ATOMIC),
  /** Only in completions: a peer's {@link #WRITE_IMMEDIATE} arrived here. */
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

  /** Returns whether data come back from the peer: true for a read or an atomic. {@link Endpoint#readsInFlight()} limits them. */
  public boolean isRead() {
    return read;
  }

  /** Returns whether the initiator names the peer's memory: true for a write, a read or an atomic. */
  public boolean isOneSided() {
    return oneSided;
  }

  /** Returns true for a fetch-add or a compare-swap. */
  public boolean isAtomic() {
    return remoteAccess == Access.REMOTE_ATOMIC;
  }

  /** Returns true for a send or a write that carries an immediate. */
  public boolean hasImmediate() {
    return this == SEND_IMMEDIATE || this == WRITE_IMMEDIATE;
  }

  /** Returns the access with which the peer's memory must be registered; null if the operation is not one-sided. */
  public Access remoteAccess() {
    return remoteAccess;
  }

  /** Returns the counter of its successes. */
  public Counter.Event counter() {
    return counter;
  }
}
