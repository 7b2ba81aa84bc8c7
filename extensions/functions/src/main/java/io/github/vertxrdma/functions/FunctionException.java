package io.github.vertxrdma.functions;

import java.util.Objects;

/** A call or a lease that failed. The message says who, what, why and what to do; {@link #reason()} is for code. */
public final class FunctionException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Why. Its order is part of the protocol: new ones go to the end. */
  public enum Reason {
    /** The function threw, or its future failed; its words are in the message. */
    FUNCTION_FAILED,
    /** No worker of the leases has a function of that name. */
    UNKNOWN_FUNCTION,
    /** The arguments do not fit into a worker's input region. */
    ARGUMENTS_TOO_LARGE,
    /** The result does not fit into the room that the caller gave it, or a part of it not into a message. */
    RESULT_TOO_LARGE,
    /** It did not finish in time; whether the function ran is unknown. */
    TIMEOUT,
    /** This side cancelled it; whether the function ran is unknown. */
    CANCELLED,
    /** The worker or its node died, or the connection broke; whether the function ran is unknown. */
    WORKER_LOST,
    /** The lease has expired or was ended; or there never was one. */
    LEASE_ENDED,
    /** The invocation's id is not one that the lease's holder may use now. */
    FORGED_INVOCATION,
    /** No server has so many cores, or so much memory, to offer. */
    NO_CAPACITY,
    /** More calls wait than the client may hold, or more were given up than a worker lets go on. */
    TOO_MANY_CALLS,
    /** The other side broke the protocol. */
    PROTOCOL,
    /** This side closed it. */
    CLOSED,
    /** The server takes no code, not so much, or not under that signature; or it cannot be run. */
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
