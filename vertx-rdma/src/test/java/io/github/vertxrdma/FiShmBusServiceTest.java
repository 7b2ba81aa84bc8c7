package io.github.vertxrdma;

import org.junit.jupiter.api.Tag;

@Tag("long")
class FiShmBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return "fi-shm";
  }
}
