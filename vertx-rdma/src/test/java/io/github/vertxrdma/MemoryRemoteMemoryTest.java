package io.github.vertxrdma;

class MemoryRemoteMemoryTest extends RemoteMemoryContract {
  @Override
  String fabric() {
    return "memory";
  }
}
