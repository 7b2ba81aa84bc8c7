package io.github.vertxrdma;

class NioStreamTest extends StreamContract {
  @Override
  String fabric() {
    return "nio";
  }
}
