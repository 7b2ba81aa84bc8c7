package io.github.vertxrdma.provider.testkit.forward;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.testkit.ProviderContract;
import io.github.vertxrdma.provider.testkit.memory.InMemoryFabric;

class ForwardingContractTest implements ProviderContract {
  private static final Device DEVICE = new ForwardingDevice(
    InMemoryFabric.create("forwarded", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device(), "forwarding");

  @Override
  public Device device() {
    return DEVICE;
  }
}
