package io.github.vertxrdma.provider;

/**
 * Status codes of posts and completions: integers, because the hot path returns them. Negative codes mean that an operation was not posted.
 */
public final class Status {
  public static final int OK = 0;
  /** The queue is full or the device is busy. Drain completions and post again. */
  public static final int AGAIN = -1;
  public static final int NOT_CONNECTED = -2;
  public static final int UNSUPPORTED = -3;
  /** The range is outside the local region, or its access does not allow the operation. */
  public static final int LOCAL_RANGE = -4;
  /** The range is outside the remote memory, or not aligned. */
  public static final int REMOTE_RANGE = -5;
  public static final int LIMIT = -6;
  /** The call failed; {@link Endpoint#failure()} has the cause. */
  public static final int FAILED = -7;

  /** The endpoint failed or was closed first. The operation's effect is unknown. */
  public static final int FLUSHED = 1;
  public static final int REMOTE_ACCESS = 2;
  public static final int REMOTE_OPERATION = 3;
  public static final int LOCAL_PROTECTION = 4;
  /** The message did not fit into the receive. */
  public static final int LENGTH = 5;
  public static final int RETRY_EXCEEDED = 6;
  /** The peer had no receive posted for longer than the RNR retries last. */
  public static final int RNR_EXCEEDED = 7;
  public static final int CONNECTION_LOST = 8;
  public static final int CANCELLED = 9;
  public static final int OTHER = 10;

  /** Done without a completion; see {@link PostFlags#UNLESS_DONE}. */
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
