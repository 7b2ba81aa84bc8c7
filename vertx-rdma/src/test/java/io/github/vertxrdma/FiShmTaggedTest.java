package io.github.vertxrdma;

class FiShmTaggedTest extends TaggedContract {
  @Override
  String fabric() {
    return "fi-shm";
  }
}
