package io.github.vertxrdma;

class TcpRemoteMemoryTest extends RemoteMemoryContract {
  @Override
  String fabric() {
    return "tcp";
  }
}
