package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.ProviderException;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;

@ExtendWith(LeakCheck.class)
public interface ContractFixture {

  /**
   * Returns the tested device, always the same object.
   *
   * @throws org.opentest4j.TestAbortedException if the device is not available
   */
  Device device();

  /** Returns the capabilities of a domain. The device's self-test may have removed some. */
  default Capabilities found() {
    try (Domain domain = device().open()) {
      return domain.capabilities();
    }
  }

  default ProviderException assertFails(ProviderException.Reason reason, Executable call) {
    ProviderException failure = assertThrows(ProviderException.class, call);
    assertEquals(reason, failure.reason(), failure.getMessage());
    return failure;
  }

  /** Returns the number of connections for {@link ScaleContract}. */
  default int manyConnections() {
    return 50;
  }

  default int roundTrips() {
    return 2000;
  }
}
