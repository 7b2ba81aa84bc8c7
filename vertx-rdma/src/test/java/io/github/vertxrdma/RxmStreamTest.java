package io.github.vertxrdma;

class RxmStreamTest extends StreamContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
