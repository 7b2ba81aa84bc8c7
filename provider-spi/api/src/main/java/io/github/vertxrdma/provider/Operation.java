package io.github.vertxrdma.provider;

/** The operations of the contract, and the kinds of completion that report them. */
public enum Operation {
  SEND(Counter.Event.SENDS, null),
  RECEIVE(Counter.Event.RECEIVES, null),
  WRITE(Counter.Event.WRITES, Access.REMOTE_WRITE),
  READ(Counter.Event.READS, Access.REMOTE_READ),
  /** A send that carries an immediate (remote CQ data). */
  SEND_IMMEDIATE(Counter.Event.SENDS, null),
  /** A write that carries an immediate and so makes a completion at the target. */
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

  /** Bytes come back from the peer: a read or an atomic. {@link Endpoint#readsInFlight()} bounds them. */
  public boolean isRead() {
    return read;
  }

  /** The initiator names the peer's memory: a write, a read or an atomic. */
  public boolean isOneSided() {
    return oneSided;
  }

  /** A fetch-add or a compare-swap. */
  public boolean isAtomic() {
    return remoteAccess == Access.REMOTE_ATOMIC;
  }

  /** A send or a write that carries an immediate. */
  public boolean hasImmediate() {
    return this == SEND_IMMEDIATE || this == WRITE_IMMEDIATE;
  }

  /** The access that the peer's memory must have been registered with; null if it is not one-sided. */
  public Access remoteAccess() {
    return remoteAccess;
  }

  /** The counter that its successes add to. */
  public Counter.Event counter() {
    return counter;
  }
}
