package io.github.vertxrdma.functions;

class Tcp111ProfileFunctionsTest extends FunctionsContract {
  @Override
  String fabric() {
    return "tcp-1.11-profile";
  }
}
