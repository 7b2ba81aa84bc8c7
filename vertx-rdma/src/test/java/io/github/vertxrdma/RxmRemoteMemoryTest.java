package io.github.vertxrdma;

class RxmRemoteMemoryTest extends RemoteMemoryContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
