package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shows as one skip, with the reason, that the contract had no verbs device to run on: of whole classes Surefire does not tell. */
@Timeout(60)
class DevicesPresentTest {
  @Test
  void theContractHasADeviceHere() {
    assumeTrue(TestDevices.missing() == null, () -> "VerbsContractTest, VerbsTest and RpingTest have no device here, "
      + "tests/soft-rdma/contract runs them on siw and rxe: " + TestDevices.missing());
  }
}
