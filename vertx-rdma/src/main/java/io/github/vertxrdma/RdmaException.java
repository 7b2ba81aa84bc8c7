package io.github.vertxrdma;

import java.util.Objects;

/** A failure of a connection or of remote memory. The message says who, what, why and what to do; {@link #reason()} is for code. */
public final class RdmaException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Why. */
  public enum Reason {
    /** Nobody answers at the address, or no fabric reaches the peer. */
    UNREACHABLE,
    /** The name is not in the directory. */
    NOT_FOUND,
    /** The peer refused; its words are in the message. */
    REJECTED,
    /** The secrets differ, or a proof was forged. */
    NOT_AUTHENTIC,
    /** The peer has no such right. */
    ACCESS_DENIED,
    /** Out of the region's bounds, or not aligned. */
    OUT_OF_RANGE,
    /** The region was revoked or closed by its owner. */
    REVOKED,
    /** It did not finish in time; whether a write or an atomic took effect is unknown. */
    TIMEOUT,
    /** The peer died or the connection broke; whether what was under way took effect is unknown. */
    CONNECTION_LOST,
    /** This side closed it. */
    CLOSED,
    /** The message is larger than what may be sent. */
    TOO_LARGE,
    /** The message is longer than the receive that it matched, and is lost. */
    TRUNCATED,
    /** Memory, queue pairs, registrations or another limit is exhausted. */
    LIMIT,
    /** The fabric has no such operation. */
    UNSUPPORTED,
    /** The peer broke the protocol. */
    PROTOCOL,
    /** Anything else. */
    OTHER
  }

  private final Reason reason;

  public RdmaException(Reason reason, String message) {
    super(message);
    this.reason = Objects.requireNonNull(reason);
  }

  public RdmaException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason);
  }

  public Reason reason() {
    return reason;
  }
}
