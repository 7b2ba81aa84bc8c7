package io.github.vertxrdma;

class TcpConnectionTest extends ConnectionContract {
  @Override
  String fabric() {
    return "tcp";
  }
}
