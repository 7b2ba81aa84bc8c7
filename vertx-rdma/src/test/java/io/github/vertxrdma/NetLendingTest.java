package io.github.vertxrdma;

class NetLendingTest extends LendingContract {
  @Override
  String fabric() {
    return "net";
  }
}
