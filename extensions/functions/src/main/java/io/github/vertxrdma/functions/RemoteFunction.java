package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Objects;
import java.util.function.Function;

/** A function that workers run, on the thread of {@link FunctionOptions#getThreading}. */
@FunctionalInterface
public interface RemoteFunction {

  /**
   * Computes a result.
   *
   * @return at most {@link CallOptions#maxResult} bytes. The caller gets the message of a failure
   * @throws Exception like a failed future
   */
  Future<Buffer> call(Invocation invocation) throws Exception;

  static RemoteFunction of(Function<Buffer, Buffer> function) {
    Objects.requireNonNull(function);
    return invocation -> Future.succeededFuture(function.apply(invocation.arguments()));
  }
}
