package io.github.vertxrdma;

class MemoryTaggedTest extends TaggedContract {
  @Override
  String fabric() {
    return "memory";
  }
}
