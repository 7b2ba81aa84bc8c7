package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Objects;
import java.util.function.Function;

/** A function as a worker runs it for a call, called on the thread that {@link FunctionOptions#getThreading} says. */
@FunctionalInterface
public interface RemoteFunction {

  /**
   * Computes a result.
   *
   * @return the result, at most as long as the caller has room for; a failure's message goes to the caller
   * @throws Exception like a failed future
   */
  Future<Buffer> call(Invocation invocation) throws Exception;

  /** One that computes its result from the arguments alone, at once. */
  static RemoteFunction of(Function<Buffer, Buffer> function) {
    Objects.requireNonNull(function);
    return invocation -> Future.succeededFuture(function.apply(invocation.arguments()));
  }
}
