package io.github.vertxrdma;

import org.junit.jupiter.api.Nested;

/** The fabrics of libfabric. */
class FabricConnectionTest {

  @Nested
  class Tcp extends ConnectionContract {
    @Override
    String fabric() {
      return "tcp";
    }
  }

  @Nested
  class Rxm extends ConnectionContract {
    @Override
    String fabric() {
      return "rxm";
    }
  }

  @Nested
  class Net extends ConnectionContract {
    @Override
    String fabric() {
      return "net";
    }
  }

  @Nested
  class Shm extends ConnectionContract {
    @Override
    String fabric() {
      return "shm";
    }
  }
}
