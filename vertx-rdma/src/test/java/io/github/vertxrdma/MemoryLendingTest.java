package io.github.vertxrdma;

class MemoryLendingTest extends LendingContract {
  @Override
  String fabric() {
    return "memory";
  }
}
