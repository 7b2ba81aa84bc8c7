package io.github.vertxrdma.functions;

/** Functions that function servers find with {@link java.util.ServiceLoader}. */
public interface FunctionProvider {

  /** Registers the functions. Called once for each server. */
  void register(FunctionRegistry registry);
}
