package io.github.vertxrdma.grpc;

class NioInteropTest extends InteropContract {
  @Override
  String fabric() {
    return "nio";
  }
}
