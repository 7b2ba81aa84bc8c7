package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import java.util.Objects;
import java.util.function.Function;

/**
 * A function's name with the types of its argument and result: the worker's side registers by it, the caller's side calls by it.
 *
 * @param name the name
 * @param argument how the argument travels
 * @param result how the result travels
 * @param <A> the argument
 * @param <R> the result
 */
public record TypedFunction<A, R>(String name, Codec<A> argument, Codec<R> result) {

  public TypedFunction {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(argument, "argument");
    Objects.requireNonNull(result, "result");
  }

  /** Both as {@link Codec#json JSON}. */
  public static <A, R> TypedFunction<A, R> json(String name, Class<A> argument, Class<R> result) {
    return new TypedFunction<>(name, Codec.json(argument), Codec.json(result));
  }

  /** Registers one that computes its result at once. */
  public void register(FunctionRegistry registry, FunctionOptions options, Function<A, R> function) {
    registerAsync(registry, options, value -> Future.succeededFuture(function.apply(value)));
  }

  /** Registers one that computes its result later. */
  public void registerAsync(FunctionRegistry registry, FunctionOptions options, Function<A, Future<R>> function) {
    Objects.requireNonNull(function, "function");
    registry.register(name, options, invocation -> function.apply(argument.decode(invocation.arguments())).map(result::encode));
  }

  /** Calls it. */
  public Future<R> invoke(FunctionClient client, A value) {
    return invoke(client, value, CallOptions.DEFAULT);
  }

  /** Calls it. @return fails like {@link FunctionClient#invoke}, and with what the codecs throw */
  public Future<R> invoke(FunctionClient client, A value, CallOptions options) {
    try {
      return client.invoke(name, argument.encode(value), options).map(result::decode);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }
}
