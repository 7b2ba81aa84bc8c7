package io.github.vertxrdma;

class RxmLendingTest extends LendingContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
