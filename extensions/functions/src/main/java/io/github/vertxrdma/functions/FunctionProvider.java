package io.github.vertxrdma.functions;

/** Provider of functions that function servers find with {@link java.util.ServiceLoader}. */
public interface FunctionProvider {

  /** Registers the provider's functions. Called once for each server. */
  void register(FunctionRegistry registry);
}
