package io.github.vertxrdma;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/** Failure of a connection or of remote memory. The message states the cause and the remedy; {@link #reason()} classifies it. */
public final class RdmaException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public enum Reason {
    /** Nothing responds at the address, or no fabric reaches the peer. */
    UNREACHABLE,
    /** The directory does not contain the name, or the service or region has ended. */
    NOT_FOUND,
    /** The peer refused, with the reason in the message. */
    REJECTED,
    /** The cluster secrets of the nodes differ, or a proof of the secret is wrong. */
    NOT_AUTHENTIC,
    ACCESS_DENIED,
    /** The range is outside the region, or unaligned. */
    OUT_OF_RANGE,
    /** The owner revoked or closed the region. */
    REVOKED,
    /** The operation did not finish in time. A write or an atomic operation may have taken effect. */
    TIMEOUT,
    /** The peer died or the connection failed. Pending operations may have taken effect. */
    CONNECTION_LOST,
    /** The connection, region or {@code Rdma} is closed. */
    CLOSED,
    TOO_LARGE,
    /** Memory is exhausted, or a limit such as a number of requests is reached. */
    LIMIT,
    /** The fabric, or the peer's version, lacks the operation. */
    UNSUPPORTED,
    /** The peer broke the protocol. */
    PROTOCOL,
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

  public RdmaException(Reason reason, String message, Throwable cause, boolean effectUnknown) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason);
    this.effectUnknown = effectUnknown;
  }

  public Reason reason() {
    return reason;
  }

  /**
   * Returns whether the peer may have received or executed the failed operation. If false, a write changed nothing and a message did not
   * arrive. A request did not arrive either, or this failure is the peer's reply.
   */
  public boolean isEffectUnknown() {
    return effectUnknown;
  }
}
