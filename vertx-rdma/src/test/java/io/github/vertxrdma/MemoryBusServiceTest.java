package io.github.vertxrdma;

class MemoryBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return "memory";
  }

  @Override
  boolean leavesTheProcess() {
    return false;
  }
}
