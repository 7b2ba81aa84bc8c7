package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Objects;
import java.util.function.Function;

/** A function that a worker runs for a call, on the thread of {@link FunctionOptions#getThreading}. */
@FunctionalInterface
public interface RemoteFunction {

  /**
   * Computes a result.
   *
   * @return the result, at most as long as the caller has room for; the message of a failure is sent to the caller
   * @throws Exception with the effect of a failed future
   */
  Future<Buffer> call(Invocation invocation) throws Exception;

  /** Creates a function that computes its result synchronously from the arguments. */
  static RemoteFunction of(Function<Buffer, Buffer> function) {
    Objects.requireNonNull(function);
    return invocation -> Future.succeededFuture(function.apply(invocation.arguments()));
  }
}
