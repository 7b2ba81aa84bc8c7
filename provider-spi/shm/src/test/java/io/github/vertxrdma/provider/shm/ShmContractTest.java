package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;

class ShmContractTest implements ProviderContract {

  @Override
  public Device device() {
    return Devices.require(new ShmProvider(), "shm");
  }
}
