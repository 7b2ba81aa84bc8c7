package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;
import java.util.List;
import java.util.Map;

/** Over the in-memory fabric; the libfabric module runs it over rxm. */
class EfaDirectProfileContractTest implements ProviderContract {
  private static final Device DEVICE =
    Devices.require(List.of(new ProfileProvider()), ProfileProvider.EFA_DIRECT, Map.of("profiles.base", "memory-rdm", "profiles.seed", "5"));

  @Override
  public Device device() {
    return DEVICE;
  }
}
