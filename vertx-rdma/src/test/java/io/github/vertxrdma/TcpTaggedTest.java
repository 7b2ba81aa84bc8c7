package io.github.vertxrdma;

class TcpTaggedTest extends TaggedContract {
  @Override
  String fabric() {
    return "tcp";
  }
}
