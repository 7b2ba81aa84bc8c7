package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;

/** The contract on connectionless endpoints of ofi_rxm over tcp. */
class RxmContractTest implements ProviderContract {
  @Override
  public Device device() {
    return Devices.require(new LibfabricProvider(), "rxm");
  }
}
