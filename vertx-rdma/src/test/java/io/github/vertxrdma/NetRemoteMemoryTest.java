package io.github.vertxrdma;

class NetRemoteMemoryTest extends RemoteMemoryContract {
  @Override
  String fabric() {
    return "net";
  }
}
