package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;
import java.util.List;
import java.util.Map;

/** Over the in-memory fabric; the libfabric module runs it over tcp. */
class BasicProfileContractTest implements ProviderContract {
  private static final Device DEVICE =
    Devices.require(List.of(new ProfileProvider()), ProfileProvider.BASIC, Map.of("profiles.base", "memory"));

  @Override
  public Device device() {
    return DEVICE;
  }
}
