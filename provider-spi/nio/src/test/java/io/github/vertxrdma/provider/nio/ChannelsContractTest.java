package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.ProviderContract;

/** The contract on the channels of the JDK. */
class ChannelsContractTest implements ProviderContract {
  @Override
  public Device device() {
    return BackEnds.channels();
  }
}
