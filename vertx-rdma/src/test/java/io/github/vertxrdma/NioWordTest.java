package io.github.vertxrdma;

class NioWordTest extends WordContract {
  @Override
  String fabric() {
    return "nio";
  }
}
