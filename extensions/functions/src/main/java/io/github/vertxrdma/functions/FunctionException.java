package io.github.vertxrdma.functions;

import java.util.Objects;

/**
 * Thrown if a call or a lease fails. The message names the operation, the object, the cause and the remedy; {@link #reason()} is for code.
 */
public final class FunctionException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Cause of a failure. The order is part of the protocol: append new constants at the end. */
  public enum Reason {
    /** The function threw, or its future failed; the message contains its message. */
    FUNCTION_FAILED,
    /** No worker of the leases has a function of that name. */
    UNKNOWN_FUNCTION,
    /** The arguments do not fit into a worker's input region. */
    ARGUMENTS_TOO_LARGE,
    /** The result does not fit into the room for it, or a part of it does not fit into a message. */
    RESULT_TOO_LARGE,
    /** The call did not finish in time; whether the function ran is unknown. */
    TIMEOUT,
    /** This side cancelled it; whether the function ran is unknown. */
    CANCELLED,
    /** The worker or its node died, or the connection failed; whether the function ran is unknown. */
    WORKER_LOST,
    /** The lease has expired or was ended, or never existed. */
    LEASE_ENDED,
    /** The holder of the lease may not use the invocation's id now. */
    FORGED_INVOCATION,
    /** No server has that many cores, or that much memory, to offer. */
    NO_CAPACITY,
    /** More calls wait than the client permits, or more cancelled calls still run than a worker permits. */
    TOO_MANY_CALLS,
    /** The other side violated the protocol. */
    PROTOCOL,
    /** This side closed it. */
    CLOSED,
    /** The server accepts no code, less code, or no such signature; or the code cannot be run. */
    CODE_REFUSED
  }

  private final Reason reason;

  public FunctionException(Reason reason, String message) {
    super(message);
    this.reason = Objects.requireNonNull(reason);
  }

  public FunctionException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason);
  }

  public Reason reason() {
    return reason;
  }
}
