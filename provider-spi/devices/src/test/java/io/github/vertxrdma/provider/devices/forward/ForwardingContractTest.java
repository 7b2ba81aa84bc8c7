package io.github.vertxrdma.provider.devices.forward;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.ProviderContract;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;

class ForwardingContractTest implements ProviderContract {
  private static final Device DEVICE = new ForwardingDevice(
    InMemoryFabric.create("forwarded", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device(), "forwarding");

  @Override
  public Device device() {
    return DEVICE;
  }
}
