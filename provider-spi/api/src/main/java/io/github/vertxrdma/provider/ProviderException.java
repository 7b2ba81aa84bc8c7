package io.github.vertxrdma.provider;

import java.util.Objects;

/**
 * Thrown if a control operation or a connection fails. The message names the operation, the object, the cause and the remedy; {@link
 * #reason()} distinguishes the cases for code. The end of a connection, {@code DISCONNECTED} or {@code PEER_ENDED}, has no stack trace:
 * every connection ends so, and the trace would be that of a poll.
 */
public final class ProviderException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Cause of a failure. */
  public enum Reason {
    /** A native library, device or module is missing. */
    MISSING,
    /** The library is older than the oldest supported version. */
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
    /** The peer refused the connection, or there is no listener. */
    REFUSED,
    /** The peer rejected the connection; the exception carries its private data. */
    REJECTED,
    /** The operation did not finish in time. */
    TIMEOUT,
    /** The peer disconnected or died, or the connection failed. */
    DISCONNECTED,
    /**
     * The peer's process ended, or closed its completion queue, and everything that it had sent was received before. Only fabrics that know
     * both report this.
     */
    PEER_ENDED,
    /** An argument or the state does not allow the operation. */
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

  /** Returns the positive error number of the library, 0 if there was none. */
  public int errno() {
    return errno;
  }

  /** Returns the private data of the peer's reject; empty otherwise. */
  public byte[] privateData() {
    return privateData == null ? new byte[0] : privateData.clone();
  }
}
