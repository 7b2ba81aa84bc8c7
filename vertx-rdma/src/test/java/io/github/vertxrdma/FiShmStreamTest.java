package io.github.vertxrdma;

class FiShmStreamTest extends StreamContract {
  @Override
  String fabric() {
    return "fi-shm";
  }
}
