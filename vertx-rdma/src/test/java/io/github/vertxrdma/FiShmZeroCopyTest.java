package io.github.vertxrdma;

import org.junit.jupiter.api.Tag;

@Tag("long")
class FiShmZeroCopyTest extends ZeroCopyContract {
  @Override
  String fabric() {
    return "fi-shm";
  }
}
