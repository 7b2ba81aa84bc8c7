package io.github.vertxrdma.functions;

class NioFunctionsTest extends FunctionsContract {
  @Override
  String fabric() {
    return "nio";
  }
}
