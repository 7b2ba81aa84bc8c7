package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Reports each contract that has no device here as one skip with the reason: Surefire does not report the skip of a parameterized class.
 */
@Timeout(60)
class DevicesPresentTest {
  @Test
  void efaContractHasADevice() {
    assumeTrue(AdapterPresentContractTest.isHere(), AdapterPresentContractTest.MISSING);
  }

  @Test
  void verbsContractHasADevice() {
    assumeTrue(VerbsOverLibfabricContractTest.isHere(), VerbsOverLibfabricContractTest.MISSING);
  }
}
