package io.github.vertxrdma;

class ShmAllocationTest extends AllocationContract {
  @Override
  String fabric() {
    return "shm";
  }
}
