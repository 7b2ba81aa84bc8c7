package io.github.vertxrdma;

class MemoryZeroCopyTest extends ZeroCopyContract {
  @Override
  String fabric() {
    return "memory";
  }
}
