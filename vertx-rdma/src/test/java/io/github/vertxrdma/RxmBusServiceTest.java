package io.github.vertxrdma;

class RxmBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
