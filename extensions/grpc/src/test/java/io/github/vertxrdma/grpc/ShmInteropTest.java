package io.github.vertxrdma.grpc;

class ShmInteropTest extends InteropContract {
  @Override
  String fabric() {
    return "shm";
  }
}
