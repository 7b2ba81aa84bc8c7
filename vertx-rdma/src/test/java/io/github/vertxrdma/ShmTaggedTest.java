package io.github.vertxrdma;

class ShmTaggedTest extends TaggedContract {
  @Override
  String fabric() {
    return "shm";
  }
}
