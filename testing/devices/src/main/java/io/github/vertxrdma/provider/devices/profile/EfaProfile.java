package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.rdm.RdmDevice;

record EfaProfile(EfaFabric fabric) implements Profile {

  @Override
  public String name() {
    return fabric.profile;
  }

  @Override
  public String base() {
    return "rxm";
  }

  @Override
  public String misses(Device base) {
    if (!(base instanceof RdmDevice)) {
      return "has no connectionless endpoints";
    }
    return base.capabilities().deliveryComplete() ? null : "cannot report when a write was delivered";
  }

  @Override
  public Device over(Device base, long seed) {
    return new EfaDevice((RdmDevice) base, fabric, seed);
  }
}
