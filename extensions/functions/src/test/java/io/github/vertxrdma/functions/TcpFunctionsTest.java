package io.github.vertxrdma.functions;

class TcpFunctionsTest extends FunctionsContract {
  @Override
  String fabric() {
    return "tcp";
  }
}
