package io.github.vertxrdma.provider;

import java.util.Objects;

/** Failure of a control operation or a connection. {@code DISCONNECTED} and {@code PEER_ENDED} have no stack trace. */
public final class ProviderException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public enum Reason {
    MISSING,
    TOO_OLD,
    UNSUPPORTED,
    PERMISSION,
    /** A limit was reached, such as memlock or the number of regions. */
    LIMIT,
    ADDRESS_IN_USE,
    UNREACHABLE,
    /** The peer refused the connection, or there is no listener. */
    REFUSED,
    REJECTED,
    TIMEOUT,
    DISCONNECTED,
    /** The peer's process ended, or closed its completion queue. All its messages were received. */
    PEER_ENDED,
    INVALID,
    OTHER
  }

  private final Reason reason;
  private final int errno;
  private final transient byte[] privateData;

  public ProviderException(Reason reason, String message) {
    this(reason, 0, message, null, null);
  }

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

  /** Returns the library's positive error number, or 0. */
  public int errno() {
    return errno;
  }

  /** Returns the private data of a reject; otherwise empty. */
  public byte[] privateData() {
    return privateData == null ? new byte[0] : privateData.clone();
  }
}
