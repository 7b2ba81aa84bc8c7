package io.github.vertxrdma;

class ShmRawTest extends RawContract {
  @Override
  String fabric() {
    return "shm";
  }

  @Override
  int keyBytes() {
    return 16;
  }
}
