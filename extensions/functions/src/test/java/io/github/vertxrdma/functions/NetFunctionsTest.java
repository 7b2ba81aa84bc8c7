package io.github.vertxrdma.functions;

class NetFunctionsTest extends FunctionsContract {
  @Override
  String fabric() {
    return "net";
  }
}
