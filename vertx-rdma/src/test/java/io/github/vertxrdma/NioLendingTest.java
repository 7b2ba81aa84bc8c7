package io.github.vertxrdma;

class NioLendingTest extends LendingContract {
  @Override
  String fabric() {
    return "nio";
  }
}
