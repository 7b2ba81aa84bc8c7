package io.github.vertxrdma.provider.devices.fault;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.ProviderContract;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;

/** Completions that come late are no reason for anything to fail. */
class DelayedContractTest implements ProviderContract {
  private static final FaultyDevice DEVICE =
    FaultyDevice.over(InMemoryFabric.create("delayed", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).device(), 11);

  static {
    DEVICE.faults().delayCompletions(0.3, 5);
  }

  @Override
  public Device device() {
    return DEVICE;
  }
}
