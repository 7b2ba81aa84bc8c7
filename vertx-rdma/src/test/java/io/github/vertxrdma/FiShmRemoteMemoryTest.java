package io.github.vertxrdma;

class FiShmRemoteMemoryTest extends RemoteMemoryContract {
  @Override
  String fabric() {
    return "fi-shm";
  }
}
