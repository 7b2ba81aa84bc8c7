package io.github.vertxrdma.functions;

class ShmFunctionsTest extends FunctionsContract {
  @Override
  String fabric() {
    return "shm";
  }
}
