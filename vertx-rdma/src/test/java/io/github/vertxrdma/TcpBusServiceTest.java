package io.github.vertxrdma;

class TcpBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return "tcp";
  }
}
