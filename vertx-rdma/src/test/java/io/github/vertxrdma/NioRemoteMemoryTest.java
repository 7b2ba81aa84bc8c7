package io.github.vertxrdma;

class NioRemoteMemoryTest extends RemoteMemoryContract {
  @Override
  String fabric() {
    return "nio";
  }
}
