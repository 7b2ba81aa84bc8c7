package io.github.vertxrdma.functions;

class MemoryFunctionsTest extends FunctionsContract {
  @Override
  String fabric() {
    return "memory";
  }
}
