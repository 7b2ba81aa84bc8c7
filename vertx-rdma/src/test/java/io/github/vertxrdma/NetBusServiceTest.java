package io.github.vertxrdma;

class NetBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return "net";
  }
}
