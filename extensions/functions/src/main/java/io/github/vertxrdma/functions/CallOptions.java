package io.github.vertxrdma.functions;


/**
 * How one call differs from the others.
 *
 * @param timeoutMillis how long it may take, waiting for a worker included; 0 for as long as it takes, -1 for
 *   {@link InvokerOptions#getTimeout}
 * @param maxResult bytes of room for the result; 0 for what one slot holds
 * @param retries how often it is made again if its worker is lost and the function is idempotent; -1 for {@link InvokerOptions#getRetries}
 */
public record CallOptions(long timeoutMillis, int maxResult, int retries) {
  /** As the invoker's options say. */
  public static final CallOptions DEFAULT = new CallOptions(-1, 0, -1);

  public CallOptions {
    if (timeoutMillis < -1 || maxResult < 0 || retries < -1) {
      throw new IllegalArgumentException("a call with timeoutMillis " + timeoutMillis + ", maxResult " + maxResult + ", retries " + retries
        + ": at least -1, 0 and -1");
    }
  }

  /** With another time. */
  public CallOptions withTimeoutMillis(long millis) {
    return new CallOptions(millis, maxResult, retries);
  }

  /** With other room for the result. */
  public CallOptions withMaxResult(int bytes) {
    return new CallOptions(timeoutMillis, bytes, retries);
  }

  /** With another number of retries. */
  public CallOptions withRetries(int times) {
    return new CallOptions(timeoutMillis, maxResult, times);
  }
}
