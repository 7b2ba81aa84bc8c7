package io.github.vertxrdma;

class TcpZeroCopyTest extends ZeroCopyContract {
  @Override
  String fabric() {
    return "tcp";
  }
}
