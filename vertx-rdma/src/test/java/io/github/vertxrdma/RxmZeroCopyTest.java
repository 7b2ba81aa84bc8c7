package io.github.vertxrdma;

class RxmZeroCopyTest extends ZeroCopyContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
