package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;
import org.junit.jupiter.api.Tag;

/** Over rxm; in each run the profile is over memory. */
@Tag("long")
class EfaDirectProfileContractTest implements ProviderContract {

  @Override
  public Device device() {
    return Devices.require("efa-direct-profile");
  }
}
