package io.github.vertxrdma;

import org.junit.jupiter.api.Tag;

@Tag("long")
class RxmBusServiceTest extends BusServiceContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
