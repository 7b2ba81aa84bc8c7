package io.github.vertxrdma;

class MemoryConnectionTest extends ConnectionContract {
  @Override
  String fabric() {
    return "memory";
  }
}
