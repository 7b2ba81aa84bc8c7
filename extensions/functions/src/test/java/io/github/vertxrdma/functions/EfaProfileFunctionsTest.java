package io.github.vertxrdma.functions;

class EfaProfileFunctionsTest extends FunctionsContract {
  @Override
  String fabric() {
    return "efa-profile";
  }
}
