package io.github.vertxrdma;

class NetStreamTest extends StreamContract {
  @Override
  String fabric() {
    return "net";
  }
}
