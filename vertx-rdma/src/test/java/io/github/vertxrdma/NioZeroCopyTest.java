package io.github.vertxrdma;

class NioZeroCopyTest extends ZeroCopyContract {
  @Override
  String fabric() {
    return "nio";
  }
}
