package io.github.vertxrdma.functions;

import io.github.vertxrdma.base.Bounds;
import io.vertx.codegen.annotations.Nullable;
import java.time.Duration;

/**
 * Options of one call.
 *
 * @param timeout maximum time, including the wait for a worker; zero for no limit, null for {@link FunctionClientOptions#getTimeout}
 * @param maxResult maximum bytes of the result; 0 for one slot ({@link LeaseOptions#getSlots})
 * @param retries maximum number of repetitions after the worker was lost; null for {@link FunctionClientOptions#getRetries}
 */
public record CallOptions(@Nullable Duration timeout, int maxResult, @Nullable Integer retries) {
  public static final CallOptions DEFAULT = new CallOptions(null, 0, null);

  public CallOptions {
    if (timeout != null) {
      Bounds.atLeast("timeout", timeout, 0);
    }
    if (maxResult < 0 || retries != null && retries < 0) {
      throw new IllegalArgumentException("maxResult " + maxResult + " or retries " + retries + " of a call is negative: use at least 0");
    }
  }

  public CallOptions withTimeout(@Nullable Duration other) {
    return new CallOptions(other, maxResult, retries);
  }

  public CallOptions withMaxResult(int bytes) {
    return new CallOptions(timeout, bytes, retries);
  }

  public CallOptions withRetries(int times) {
    return new CallOptions(timeout, maxResult, times);
  }
}
