package io.github.vertxrdma.functions;

class RxmFunctionsTest extends FunctionsContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
