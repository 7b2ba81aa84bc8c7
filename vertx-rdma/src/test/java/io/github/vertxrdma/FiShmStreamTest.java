package io.github.vertxrdma;

import org.junit.jupiter.api.Tag;

@Tag("long")
class FiShmStreamTest extends StreamContract {
  @Override
  String fabric() {
    return "fi-shm";
  }
}
