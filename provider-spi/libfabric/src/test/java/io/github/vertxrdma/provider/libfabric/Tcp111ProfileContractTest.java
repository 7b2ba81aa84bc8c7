package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;

class Tcp111ProfileContractTest implements ProviderContract {

  @Override
  public Device device() {
    return Devices.require("tcp-1.11-profile");
  }
}
