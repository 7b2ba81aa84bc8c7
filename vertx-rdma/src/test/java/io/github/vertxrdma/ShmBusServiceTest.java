package io.github.vertxrdma;

class ShmBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return "shm";
  }
}
