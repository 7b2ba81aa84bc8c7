package io.github.vertxrdma.provider;

/** The operations of the contract, and the kinds of completion that report them. */
public enum Operation {
  SEND,
  RECEIVE,
  WRITE,
  READ,
  /** A send that carries an immediate (remote CQ data). */
  SEND_IMMEDIATE,
  /** A write that carries an immediate and so makes a completion at the target. */
  WRITE_IMMEDIATE,
  FETCH_ADD,
  COMPARE_SWAP,
  /** Only in completions: a peer's {@link #WRITE_IMMEDIATE} arrived here. */
  REMOTE_WRITE
}
