package io.github.vertxrdma.functions;

/** Names of functions. Any thread. */
public interface FunctionRegistry {

  /**
   * Registers a function; leases granted from then on can call it.
   *
   * @param name 1 … 255 characters
   * @throws IllegalArgumentException if there is one of that name
   */
  FunctionRegistry register(String name, FunctionOptions options, RemoteFunction function);

  /** With default options. */
  default FunctionRegistry register(String name, RemoteFunction function) {
    return register(name, new FunctionOptions(), function);
  }
}
