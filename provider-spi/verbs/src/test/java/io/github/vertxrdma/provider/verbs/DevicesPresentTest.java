package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Is skipped if the contract had no verbs device to run on, since Surefire does not report whole classes. */
@Timeout(60)
class DevicesPresentTest {
  @Test
  void theContractHasADeviceHere() {
    assumeTrue(TestDevices.missing() == null, () -> "VerbsContractTest, VerbsTest and RpingTest have no device here, "
      + "tests/soft-rdma/contract runs them on siw and rxe: " + TestDevices.missing());
  }
}
