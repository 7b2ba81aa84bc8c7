package io.github.vertxrdma;

class NetConnectionTest extends ConnectionContract {
  @Override
  String fabric() {
    return "net";
  }
}
