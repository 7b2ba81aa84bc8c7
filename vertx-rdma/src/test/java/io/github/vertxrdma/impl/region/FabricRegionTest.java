package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.devices.strict.StrictDevice;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
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
  class Shm extends RegionContract {
    @Override
    Device device() {
      return Devices.require("shm");
    }
  }

  @Nested
  class EfaProfile extends RegionContract {
    @Override
    Device device() {
      return Devices.require("efa-profile");
    }
  }

  @Nested
  class BasicProfile extends RegionContract {
    @Override
    Device device() {
      return Devices.require("basic-profile");
    }
  }

  /** On libfabric's tcp, what is wrong on some fabric is wrong. */
  @Nested
  class StrictTcp extends RegionContract {
    private StrictDevice strict;

    @Override
    Device device() {
      strict = StrictDevice.over(Devices.require("tcp"));
      return strict;
    }

    @Override
    @AfterEach
    void stop() throws Exception {
      super.stop();
      if (strict != null) {
        Assertions.assertEquals(List.of(), strict.violations());
      }
    }
  }
}
