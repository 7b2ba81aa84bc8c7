package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import java.util.Objects;
import java.util.function.Function;

/**
 * Name of a function with the types of its argument and result: workers register it, and callers call it.
 *
 * @param name the name
 * @param argument codec of the argument
 * @param result codec of the result
 * @param <A> the argument
 * @param <R> the result
 */
public record TypedFunction<A, R>(String name, Codec<A> argument, Codec<R> result) {

  public TypedFunction {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(argument, "argument");
    Objects.requireNonNull(result, "result");
  }

  /** Creates a function with both as {@link Codec#json JSON}. */
  public static <A, R> TypedFunction<A, R> json(String name, Class<A> argument, Class<R> result) {
    return new TypedFunction<>(name, Codec.json(argument), Codec.json(result));
  }

  /** Registers a function that computes its result synchronously. */
  public void register(FunctionRegistry registry, FunctionOptions options, Function<A, R> function) {
    registerAsync(registry, options, value -> Future.succeededFuture(function.apply(value)));
  }

  /** Registers a function that computes its result asynchronously. */
  public void registerAsync(FunctionRegistry registry, FunctionOptions options, Function<A, Future<R>> function) {
    Objects.requireNonNull(function, "function");
    registry.register(name, options, invocation -> function.apply(argument.decode(invocation.arguments())).map(result::encode));
  }

  /** Calls the function with default options. */
  public Future<R> invoke(FunctionClient client, A value) {
    return invoke(client, value, CallOptions.DEFAULT);
  }

  /**
   * Calls the function.
   *
   * @return fails like {@link FunctionClient#invoke}, and with exceptions of the codecs
   */
  public Future<R> invoke(FunctionClient client, A value, CallOptions options) {
    try {
      return client.invoke(name, argument.encode(value), options).map(result::decode);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }
}
