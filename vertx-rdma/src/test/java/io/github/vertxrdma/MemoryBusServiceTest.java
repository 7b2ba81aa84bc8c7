package io.github.vertxrdma;

import java.util.List;

class MemoryBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return "memory";
  }

  @Override
  List<String> launcher() {
    return null;
  }
}
