package io.github.vertxrdma.grpc;

class MemoryInteropTest extends InteropContract {
  @Override
  String fabric() {
    return "memory";
  }
}
