package io.github.vertxrdma;

import org.junit.jupiter.api.Tag;

@Tag("long")
class FiShmTaggedTest extends TaggedContract {
  @Override
  String fabric() {
    return "fi-shm";
  }
}
