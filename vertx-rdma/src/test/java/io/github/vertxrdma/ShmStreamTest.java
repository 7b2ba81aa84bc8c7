package io.github.vertxrdma;

class ShmStreamTest extends StreamContract {
  @Override
  String fabric() {
    return "shm";
  }
}
