package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.testkit.Devices;
import io.github.vertxrdma.provider.testkit.ProviderContract;

// tag::all[]
class NioContractTest implements ProviderContract {

  @Override
  public Device device() {
    return Devices.require(new NioProvider(), "nio");
  }
}
// end::all[]
