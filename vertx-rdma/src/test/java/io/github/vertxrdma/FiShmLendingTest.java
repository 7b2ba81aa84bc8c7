package io.github.vertxrdma;

class FiShmLendingTest extends LendingContract {
  @Override
  String fabric() {
    return "fi-shm";
  }
}
