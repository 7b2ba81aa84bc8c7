package io.github.vertxrdma;

class NioRawTest extends RawContract {
  @Override
  String fabric() {
    return "nio";
  }

  @Override
  int keyBytes() {
    return 12;
  }
}
