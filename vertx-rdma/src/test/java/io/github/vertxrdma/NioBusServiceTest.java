package io.github.vertxrdma;

class NioBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return "nio";
  }
}
