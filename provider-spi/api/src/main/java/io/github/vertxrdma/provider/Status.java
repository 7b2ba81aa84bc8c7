package io.github.vertxrdma.provider;

/** Status codes of posts and completions. After a negative code the operation was not posted. */
public final class Status {
  public static final int OK = 0;
  /** The queue is full or the device is busy. Drain completions and post again. */
  public static final int AGAIN = -1;
  public static final int NOT_CONNECTED = -2;
  public static final int UNSUPPORTED = -3;
  /** The range exceeds the local region, or its access does not allow the operation. */
  public static final int LOCAL_RANGE = -4;
  /** The range exceeds the remote memory, or an atomic's word is unaligned. */
  public static final int REMOTE_RANGE = -5;
  /** A limit was reached. Also the status of a completion, if this side cannot map the peer's memory. */
  public static final int LIMIT = -6;
  /** The call failed; {@link Endpoint#failure()} has the cause. */
  public static final int FAILED = -7;

  /** The endpoint failed or was closed before the operation completed. The operation's effect is unknown. */
  public static final int FLUSHED = 1;
  public static final int REMOTE_ACCESS = 2;
  public static final int REMOTE_OPERATION = 3;
  public static final int LOCAL_PROTECTION = 4;
  /** The message was longer than the receive. */
  public static final int LENGTH = 5;
  public static final int RETRY_EXCEEDED = 6;
  /** The peer had no receive posted during all RNR retries. */
  public static final int RNR_EXCEEDED = 7;
  public static final int CONNECTION_LOST = 8;
  public static final int CANCELLED = 9;
  public static final int OTHER = 10;

  /** The operation is done, and has no completion; {@link PostFlags#UNLESS_DONE}. */
  public static final int DONE = 11;

  private static final String[] COMPLETION = {"OK", "FLUSHED", "REMOTE_ACCESS", "REMOTE_OPERATION", "LOCAL_PROTECTION",
    "LENGTH", "RETRY_EXCEEDED", "RNR_EXCEEDED", "CONNECTION_LOST", "CANCELLED", "OTHER", "DONE"};
  private static final String[] POST = {"OK", "AGAIN", "NOT_CONNECTED", "UNSUPPORTED", "LOCAL_RANGE", "REMOTE_RANGE",
    "LIMIT", "FAILED"};

  private Status() {
  }

  public static String name(int status) {
    if (status >= 0 && status < COMPLETION.length) {
      return COMPLETION[status];
    }
    return status < 0 && status > -POST.length ? POST[-status] : Integer.toString(status);
  }
}
