package io.github.vertxrdma.functions;

/** Registry of functions by name. Thread-safe. */
public interface FunctionRegistry {

  /**
   * Registers a function. Only leases that begin afterwards can call it.
   *
   * @param name 1 … 255 characters
   * @throws IllegalArgumentException if the name is in use
   */
  FunctionRegistry register(String name, FunctionOptions options, RemoteFunction function);

  default FunctionRegistry register(String name, RemoteFunction function) {
    return register(name, new FunctionOptions(), function);
  }
}
