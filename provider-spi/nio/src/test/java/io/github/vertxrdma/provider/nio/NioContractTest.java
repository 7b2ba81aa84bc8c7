package io.github.vertxrdma.provider.nio;

// tag::all[]
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;

class NioContractTest implements ProviderContract {

  @Override
  public Device device() {
    return Devices.require(new NioProvider(), "nio");
  }
}
// end::all[]
