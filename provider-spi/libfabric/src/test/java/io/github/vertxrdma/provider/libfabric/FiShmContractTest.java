package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;

/** The contract on libfabric's shared memory. */
class FiShmContractTest implements ProviderContract {
  @Override
  public Device device() {
    return Devices.require(new LibfabricProvider(), "fi-shm");
  }
}
