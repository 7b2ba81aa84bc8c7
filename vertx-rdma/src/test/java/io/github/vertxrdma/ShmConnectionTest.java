package io.github.vertxrdma;

class ShmConnectionTest extends ConnectionContract {
  @Override
  String fabric() {
    return "shm";
  }
}
