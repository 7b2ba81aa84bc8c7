package io.github.vertxrdma.grpc;

class TcpInteropTest extends InteropContract {
  @Override
  String fabric() {
    return "tcp";
  }
}
