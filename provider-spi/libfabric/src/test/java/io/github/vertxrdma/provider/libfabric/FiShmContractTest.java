package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.ContractTest;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;

/** The contract on libfabric's shared memory. */
class FiShmContractTest implements ProviderContract {
  @Override
  public Device device() {
    return Devices.require(new LibfabricProvider(), "fi-shm");
  }

  @Override
  @ContractTest
  public void aNameThatWasChosenIsKept() {
    assumeTrue(((FabricDevice) device()).library().version() >= Fi.version(1, 13),
      "before 1.13 libfabric adds numbers to the name that was chosen for any endpoint of a process but the first");
    ProviderContract.super.aNameThatWasChosenIsKept();
  }
}
