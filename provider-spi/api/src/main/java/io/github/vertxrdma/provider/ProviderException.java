package io.github.vertxrdma.provider;

import java.util.Objects;

/**
 * A control operation failed, or a connection did. The message says who, what, why and what to do; {@link #reason()} lets code tell
 * the cases apart without reading it. The end of a connection, {@code DISCONNECTED} or {@code PEER_ENDED}, has no stack trace: each
 * connection ends so, and the trace would be that of a poll.
 */
public final class ProviderException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Why it failed. */
  public enum Reason {
    /** A native library, device or module is missing. */
    MISSING,
    /** The library is older than what is supported. */
    TOO_OLD,
    /** The device has no such capability. */
    UNSUPPORTED,
    /** No permission for the device, key or memory. */
    PERMISSION,
    /** A limit was reached: memlock, number of regions or queue pairs, queue space. */
    LIMIT,
    /** The address is in use. */
    ADDRESS_IN_USE,
    /** The address does not exist or cannot be reached. */
    UNREACHABLE,
    /** The peer refused the connection, or nobody listens. */
    REFUSED,
    /** The peer rejected the connection; the exception carries its private data. */
    REJECTED,
    /** It did not finish in time. */
    TIMEOUT,
    /** The peer went away, or the connection with it broke. */
    DISCONNECTED,
    /**
     * The peer's process ended, or closed its completion queue, and everything that it had sent was received before. Only fabrics that know
     * both report this.
     */
    PEER_ENDED,
    /** An argument or the state forbids it. */
    INVALID,
    /** Any other failure. */
    OTHER
  }

  private final Reason reason;
  private final int errno;
  private final transient byte[] privateData;

  public ProviderException(Reason reason, String message) {
    this(reason, 0, message, null, null);
  }

  /** @param errno the positive error number of the library, 0 if there is none */
  public ProviderException(Reason reason, int errno, String message) {
    this(reason, errno, message, null, null);
  }

  public ProviderException(Reason reason, String message, Throwable cause) {
    this(reason, 0, message, null, cause);
  }

  public ProviderException(Reason reason, int errno, String message, byte[] privateData, Throwable cause) {
    super(message, cause, true, reason != Reason.DISCONNECTED && reason != Reason.PEER_ENDED);
    this.reason = Objects.requireNonNull(reason);
    this.errno = errno;
    this.privateData = privateData == null ? new byte[0] : privateData.clone();
  }

  public Reason reason() {
    return reason;
  }

  /** The positive error number that the library gave, 0 if there was none. */
  public int errno() {
    return errno;
  }

  /** Private data of the peer's reject; empty otherwise. */
  public byte[] privateData() {
    return privateData == null ? new byte[0] : privateData.clone();
  }
}
