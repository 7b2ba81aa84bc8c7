package io.github.vertxrdma;

class ShmWordTest extends WordContract {
  @Override
  String fabric() {
    return "shm";
  }
}
