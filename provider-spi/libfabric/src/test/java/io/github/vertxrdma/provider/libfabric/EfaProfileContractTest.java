package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.testkit.Devices;
import io.github.vertxrdma.provider.testkit.ProviderContract;

class EfaProfileContractTest implements ProviderContract {

  @Override
  public Device device() {
    return Devices.require("efa-profile");
  }
}
