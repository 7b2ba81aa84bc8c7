package io.github.vertxrdma.functions;

import java.util.Objects;

/** Failure of a call or a lease. */
public final class FunctionException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Cause of a failure. Constants are numbered in the protocol: append new ones at the end. */
  public enum Reason {
    /** The function threw, or its future failed. */
    FUNCTION_FAILED,
    /** The leased workers have no function of that name. */
    UNKNOWN_FUNCTION,
    /** The arguments do not fit into a worker's input region. */
    ARGUMENTS_TOO_LARGE,
    /** The result is longer than {@link CallOptions#maxResult}, or a part longer than a message. */
    RESULT_TOO_LARGE,
    /** The call did not finish in time. Its function may have run. */
    TIMEOUT,
    /** This side cancelled the call. Its function may have run. */
    CANCELLED,
    /** The worker, its node or the connection failed. The function may have run. */
    WORKER_LOST,
    LEASE_ENDED,
    /** A call has no valid secret or id of its lease, or a result belongs to no call. */
    FORGED_INVOCATION,
    /** No server has enough free workers or memory. */
    NO_CAPACITY,
    /** More calls wait than the client's limit, or more cancelled calls still run than the worker's limit. */
    TOO_MANY_CALLS,
    /** The other side violated the protocol. */
    PROTOCOL,
    CLOSED,
    /** The server does not accept the code or its signature, or the code cannot run. */
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
