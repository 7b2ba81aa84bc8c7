package io.github.vertxrdma;

class NetZeroCopyTest extends ZeroCopyContract {
  @Override
  String fabric() {
    return "net";
  }
}
