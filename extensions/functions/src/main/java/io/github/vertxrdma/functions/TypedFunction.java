package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import java.util.Objects;
import java.util.function.Function;

/** Name of a function, with codecs of argument and result. */
public record TypedFunction<A, R>(String name, Codec<A> argument, Codec<R> result) {

  public TypedFunction {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(argument, "argument");
    Objects.requireNonNull(result, "result");
  }

  /** Creates a function with {@link Codec#json JSON} for argument and result. */
  public static <A, R> TypedFunction<A, R> json(String name, Class<A> argument, Class<R> result) {
    return new TypedFunction<>(name, Codec.json(argument), Codec.json(result));
  }

  public void register(FunctionRegistry registry, FunctionOptions options, Function<A, R> function) {
    registerAsync(registry, options, value -> Future.succeededFuture(function.apply(value)));
  }

  public void registerAsync(FunctionRegistry registry, FunctionOptions options, Function<A, Future<R>> function) {
    Objects.requireNonNull(function, "function");
    registry.register(name, options, invocation -> function.apply(argument.decode(invocation.arguments())).map(result::encode));
  }

  public Future<R> invoke(FunctionClient client, A value) {
    return invoke(client, value, CallOptions.DEFAULT);
  }

  /** Calls the function. Fails like {@link FunctionClient#invoke}, and with exceptions of the codecs. */
  public Future<R> invoke(FunctionClient client, A value, CallOptions options) {
    try {
      return client.invoke(name, argument.encode(value), options).map(result::decode);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }
}
