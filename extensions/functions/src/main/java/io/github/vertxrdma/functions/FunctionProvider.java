package io.github.vertxrdma.functions;

/** Functions that function servers find with {@link java.util.ServiceLoader}. */
public interface FunctionProvider {

  /** Registers them. Called once for each server. */
  void register(FunctionRegistry registry);
}
