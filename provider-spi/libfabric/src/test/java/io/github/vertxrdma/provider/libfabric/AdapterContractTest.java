package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.fi.FiStandIn;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.AllowedSkips;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.ProviderContract;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;

/** The contract on providers that behave like those of adapters. */
@ExtendWith(AllowedSkips.class)
@OverFabrics(value = StandInDevices.EFA, full = {StandInDevices.CXI, StandInDevices.OPX})
class AdapterContractTest implements ProviderContract, AllowedSkips.OnStandIn {
  @Parameter
  private String name;

  @Override
  public Device device() {
    return StandInDevices.device(name);
  }

  @Override
  public boolean isOnStandIn() {
    return FiStandIn.built().missing() == null;
  }
}
