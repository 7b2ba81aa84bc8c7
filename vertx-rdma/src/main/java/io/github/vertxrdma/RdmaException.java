package io.github.vertxrdma;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/** A failure of a connection or of remote memory. The message says who, what, why and what to do; {@link #reason()} is for code. */
public final class RdmaException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Why. */
  public enum Reason {
    /** Nobody answers at the address, or no fabric reaches the peer. */
    UNREACHABLE,
    /** The name is not in the directory, or whoever stands there for it serves it no more. */
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

  /** @param effectUnknown of {@link #isEffectUnknown} */
  public RdmaException(Reason reason, String message, Throwable cause, boolean effectUnknown) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason);
    this.effectUnknown = effectUnknown;
  }

  public Reason reason() {
    return reason;
  }

  /**
   * Whether the peer may have got or carried out what failed: look before you try it again. After a failure for which this is false nothing
   * was changed, and a message or a request did not arrive or was answered with the failure.
   */
  public boolean isEffectUnknown() {
    return effectUnknown;
  }
}
