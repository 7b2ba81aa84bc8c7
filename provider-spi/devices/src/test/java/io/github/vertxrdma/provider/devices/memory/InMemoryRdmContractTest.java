package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.ProviderContract;

/** The contract over connections that the RDM layer makes. */
class InMemoryRdmContractTest implements ProviderContract {
  private static final InMemoryFabric FABRIC =
    InMemoryFabric.create("contract", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);

  @Override
  public Device device() {
    return FABRIC.rdmDevice();
  }
}
