package io.github.vertxrdma;

class MemoryWordTest extends WordContract {
  @Override
  String fabric() {
    return "memory";
  }
}
