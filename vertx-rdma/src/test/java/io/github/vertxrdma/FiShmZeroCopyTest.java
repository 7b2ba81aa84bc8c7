package io.github.vertxrdma;

class FiShmZeroCopyTest extends ZeroCopyContract {
  @Override
  String fabric() {
    return "fi-shm";
  }
}
