package io.github.vertxrdma;

class ShmZeroCopyTest extends ZeroCopyContract {
  @Override
  String fabric() {
    return "shm";
  }
}
