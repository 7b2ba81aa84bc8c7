package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.ProviderContract;

class InMemoryContractTest implements ProviderContract {
  private static final InMemoryFabric FABRIC =
    InMemoryFabric.create("contract", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);

  @Override
  public Device device() {
    return FABRIC.device();
  }
}
