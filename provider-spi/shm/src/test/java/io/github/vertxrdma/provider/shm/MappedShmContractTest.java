package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.ProviderContract;

/** The contract by mapped files and channels of the JDK, as where there is no native access. */
class MappedShmContractTest implements ProviderContract {

  @Override
  public Device device() {
    return MappedFilesTest.device();
  }
}
