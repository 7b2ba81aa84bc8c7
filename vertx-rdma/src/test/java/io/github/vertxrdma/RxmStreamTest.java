package io.github.vertxrdma;

import org.junit.jupiter.api.Tag;

@Tag("long")
class RxmStreamTest extends StreamContract {
  @Override
  String fabric() {
    return "rxm";
  }
}
