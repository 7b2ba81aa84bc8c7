package io.github.vertxrdma;

class TcpLendingTest extends LendingContract {
  @Override
  String fabric() {
    return "tcp";
  }
}
