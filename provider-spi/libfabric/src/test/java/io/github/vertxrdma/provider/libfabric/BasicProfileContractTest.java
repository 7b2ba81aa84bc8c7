package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;

class BasicProfileContractTest implements ProviderContract {

  @Override
  public Device device() {
    return Devices.require("basic-profile");
  }
}
