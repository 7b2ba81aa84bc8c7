package io.github.vertxrdma;

class NioAllocationTest extends AllocationContract {
  @Override
  String fabric() {
    return "nio";
  }
}
