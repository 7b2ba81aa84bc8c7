package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.testkit.Devices;
import org.junit.jupiter.api.Nested;

/** Remote memory on the fabrics that can have both ends in one process. */
class FabricRegionTest {

  @Nested
  class Nio extends RegionContract {
    @Override
    Device device() {
      return Devices.require("nio");
    }
  }

  @Nested
  class Tcp extends RegionContract {
    @Override
    Device device() {
      return Devices.require("tcp");
    }
  }

  @Nested
  class Rxm extends RegionContract {
    @Override
    Device device() {
      return Devices.require("rxm");
    }
  }

  @Nested
  class Net extends RegionContract {
    @Override
    Device device() {
      return Devices.require("net");
    }
  }
}
