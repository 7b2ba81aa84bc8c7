package io.github.vertxrdma;

class MemoryRawTest extends RawContract {
  @Override
  String fabric() {
    return "memory";
  }

  @Override
  int keyBytes() {
    return 8;
  }
}
