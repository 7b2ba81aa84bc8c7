package io.github.vertxrdma;

class TcpStreamTest extends StreamContract {
  @Override
  String fabric() {
    return "tcp";
  }
}
