package io.github.vertxrdma.functions;

/** Functions that executor managers find with {@link java.util.ServiceLoader}. */
public interface FunctionProvider {

  /** Registers them. Called once for each manager. */
  void register(FunctionRegistry registry);
}
