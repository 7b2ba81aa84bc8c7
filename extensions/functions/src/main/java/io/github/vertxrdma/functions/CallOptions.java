package io.github.vertxrdma.functions;

import io.github.vertxrdma.Bounds;
import io.vertx.codegen.annotations.Nullable;
import java.time.Duration;

/**
 * Options of one call. Values that calls may share.
 *
 * @param timeout time that it may take, waiting for a worker included; zero for as long as it takes, null for
 *   {@link FunctionClientOptions#getTimeout}
 * @param maxResult bytes of room for the result; 0 for what one slot holds
 * @param retries how often it is made again if its worker is lost and it was not sent, or the function is idempotent; null for
 *   {@link FunctionClientOptions#getRetries}
 */
public record CallOptions(@Nullable Duration timeout, int maxResult, @Nullable Integer retries) {
  /** As the client's options say. */
  public static final CallOptions DEFAULT = new CallOptions(null, 0, null);

  public CallOptions {
    if (timeout != null) {
      Bounds.atLeast("timeout", timeout, 0);
    }
    if (maxResult < 0 || retries != null && retries < 0) {
      throw new IllegalArgumentException("a call with maxResult " + maxResult + ", retries " + retries + ": at least 0");
    }
  }

  /** With another time; null for that of the client. */
  public CallOptions withTimeout(@Nullable Duration other) {
    return new CallOptions(other, maxResult, retries);
  }

  /** With other room for the result. */
  public CallOptions withMaxResult(int bytes) {
    return new CallOptions(timeout, bytes, retries);
  }

  /** With another number of retries. */
  public CallOptions withRetries(int times) {
    return new CallOptions(timeout, maxResult, times);
  }
}
