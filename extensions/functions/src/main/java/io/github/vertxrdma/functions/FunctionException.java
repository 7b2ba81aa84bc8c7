package io.github.vertxrdma.functions;

import java.util.Objects;

/** Failure of a call or a lease. */
public final class FunctionException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Cause of a failure. The protocol sends ordinals: append new constants at the end. */
  public enum Reason {
    /** The function threw, or its future failed. */
    FUNCTION_FAILED,
    /** The leased workers have no function of that name. */
    UNKNOWN_FUNCTION,
    /** The arguments do not fit into a worker's input region. */
    ARGUMENTS_TOO_LARGE,
    /** The result is larger than {@link CallOptions#maxResult}, or a part is larger than a message. */
    RESULT_TOO_LARGE,
    /** The call did not finish in time, but may have run. */
    TIMEOUT,
    /** This side cancelled the call, which may have run. */
    CANCELLED,
    /** The worker, its node or the connection failed. The call may have run. */
    WORKER_LOST,
    LEASE_ENDED,
    /** A call has an invalid secret or id, or a result belongs to no call. */
    FORGED_INVOCATION,
    /** No server has enough free workers or memory. */
    NO_CAPACITY,
    /** Too many calls wait at the client, or too many cancelled calls run at the worker. */
    TOO_MANY_CALLS,
    /** The other side violated the protocol. */
    PROTOCOL,
    CLOSED,
    /** The server does not accept the code or signature, or the code cannot run. */
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
