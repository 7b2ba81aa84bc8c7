package io.github.vertxrdma;

class ShmLendingTest extends LendingContract {
  @Override
  String fabric() {
    return "shm";
  }
}
