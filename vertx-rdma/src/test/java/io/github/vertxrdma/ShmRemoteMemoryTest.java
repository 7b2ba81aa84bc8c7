package io.github.vertxrdma;

class ShmRemoteMemoryTest extends RemoteMemoryContract {
  @Override
  String fabric() {
    return "shm";
  }
}
