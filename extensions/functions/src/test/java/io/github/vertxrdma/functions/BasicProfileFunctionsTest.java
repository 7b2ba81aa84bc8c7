package io.github.vertxrdma.functions;

class BasicProfileFunctionsTest extends FunctionsContract {
  @Override
  String fabric() {
    return "basic-profile";
  }
}
