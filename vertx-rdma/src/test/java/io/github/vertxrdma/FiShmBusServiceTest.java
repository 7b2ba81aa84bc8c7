package io.github.vertxrdma;

class FiShmBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return "fi-shm";
  }
}
