package io.github.vertxrdma.provider;

/**
 * Status codes of posts and completions. They are plain integers, because they are returned and drained on the hot path ({@code
 * Publication.offer} of Aeron does the same); {@link #name} names them.
 */
public final class Status {
  /** Posted, or completed without error. */
  public static final int OK = 0;
  /** The operation was not posted: the queue is full or the device is busy. Drain completions and post again. */
  public static final int AGAIN = -1;
  /** The operation was not posted: the endpoint is not connected, has failed, or was closed. */
  public static final int NOT_CONNECTED = -2;
  /** The operation was not posted: the device does not support the operation. */
  public static final int UNSUPPORTED = -3;
  /** The operation was not posted: the range is outside the local region, or its access does not allow the operation. */
  public static final int LOCAL_RANGE = -4;
  /** The operation was not posted: the range is outside the remote memory, or not aligned as the operation requires. */
  public static final int REMOTE_RANGE = -5;
  /** The operation was not posted: the length or an argument exceeds a limit of the device. */
  public static final int LIMIT = -6;
  /** The operation was not posted: the call failed; {@link Endpoint#failure()} has the cause. */
  public static final int FAILED = -7;

  /** Completion: flushed, because the endpoint failed or was closed first. Whether it took effect is unknown. */
  public static final int FLUSHED = 1;
  /** Completion: the target refused the remote key, range or access. */
  public static final int REMOTE_ACCESS = 2;
  /** Completion: the target could not execute it. */
  public static final int REMOTE_OPERATION = 3;
  /** Completion: the local region refused it. */
  public static final int LOCAL_PROTECTION = 4;
  /** Completion: the message did not fit into the posted receive. */
  public static final int LENGTH = 5;
  /** Completion: the transport gave up; the peer did not answer. */
  public static final int RETRY_EXCEEDED = 6;
  /** Completion: the peer had no receive posted for longer than the RNR retries last. */
  public static final int RNR_EXCEEDED = 7;
  /** Completion: the connection was lost. */
  public static final int CONNECTION_LOST = 8;
  /** Completion: cancelled by this side. */
  public static final int CANCELLED = 9;
  /** Completion: any other error; the batch has its text. */
  public static final int OTHER = 10;

  /** Posted and done already; no completion follows. Returned only for {@link PostFlags#UNLESS_DONE}. */
  public static final int DONE = 11;

  private static final String[] COMPLETION = {"OK", "FLUSHED", "REMOTE_ACCESS", "REMOTE_OPERATION", "LOCAL_PROTECTION",
    "LENGTH", "RETRY_EXCEEDED", "RNR_EXCEEDED", "CONNECTION_LOST", "CANCELLED", "OTHER", "DONE"};
  private static final String[] POST = {"OK", "AGAIN", "NOT_CONNECTED", "UNSUPPORTED", "LOCAL_RANGE", "REMOTE_RANGE",
    "LIMIT", "FAILED"};

  private Status() {
  }

  /** Returns the constant's name, or the number for an unknown one. */
  public static String name(int status) {
    if (status >= 0 && status < COMPLETION.length) {
      return COMPLETION[status];
    }
    return status < 0 && status > -POST.length ? POST[-status] : Integer.toString(status);
  }
}
