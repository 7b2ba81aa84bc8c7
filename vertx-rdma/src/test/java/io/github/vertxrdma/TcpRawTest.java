package io.github.vertxrdma;

class TcpRawTest extends RawContract {
  @Override
  String fabric() {
    return "tcp";
  }

  @Override
  int keyBytes() {
    return 8;
  }
}
