package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.ProviderContract;

/** The contract by the channels of the JDK, as where there is no native access. */
class ChannelNioContractTest implements ProviderContract {

  @Override
  public Device device() {
    return BackEnds.channels();
  }
}
