package io.github.vertxrdma;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/** Failure of a connection or of remote memory. The message states what failed, why, and the remedy; {@link #reason()} is for code. */
public final class RdmaException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Kinds of failures. */
  public enum Reason {
    /** Nothing responds at the address, or no fabric reaches the peer. */
    UNREACHABLE,
    /** The name is not in the directory, or not served any more. */
    NOT_FOUND,
    /** The peer refused; its words are in the message. */
    REJECTED,
    /** The secrets differ, or a proof is wrong. */
    NOT_AUTHENTIC,
    /** The peer lacks the right. */
    ACCESS_DENIED,
    /** Outside of the region, or unaligned. */
    OUT_OF_RANGE,
    /** The owner revoked or closed the region. */
    REVOKED,
    /** Not finished in time; whether a write or an atomic took effect is unknown. */
    TIMEOUT,
    /** The peer died or the connection failed; whether pending operations took effect is unknown. */
    CONNECTION_LOST,
    /** Closed by this side. */
    CLOSED,
    /** The message exceeds the limit. */
    TOO_LARGE,
    /** The message is longer than the matching receive, and lost. */
    TRUNCATED,
    /** Memory, queue pairs, registrations or another resource is exhausted. */
    LIMIT,
    /** The fabric lacks the operation. */
    UNSUPPORTED,
    /** The peer broke the protocol. */
    PROTOCOL,
    /** Other causes. */
    OTHER
  }

  private static final Set<Reason> UNKNOWN = EnumSet.of(Reason.TIMEOUT, Reason.CONNECTION_LOST, Reason.CLOSED, Reason.PROTOCOL,
    Reason.OTHER);

  private final Reason reason;
  private final boolean effectUnknown;

  public RdmaException(Reason reason, String message) {
    this(reason, message, null);
  }

  public RdmaException(Reason reason, String message, Throwable cause) {
    this(reason, message, cause, UNKNOWN.contains(reason));
  }

  /** @param effectUnknown see {@link #isEffectUnknown} */
  public RdmaException(Reason reason, String message, Throwable cause, boolean effectUnknown) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason);
    this.effectUnknown = effectUnknown;
  }

  public Reason reason() {
    return reason;
  }

  /**
   * Returns whether the peer may have received or executed the failed operation: check before a retry. If false, nothing was changed, and a
   * message or request did not arrive or was answered with the failure.
   */
  public boolean isEffectUnknown() {
    return effectUnknown;
  }
}
