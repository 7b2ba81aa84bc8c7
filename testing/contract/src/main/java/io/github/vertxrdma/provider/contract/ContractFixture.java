package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
public interface ContractFixture {

  /**
   * Returns the tested device, which is always the same object.
   *
   * @throws org.opentest4j.TestAbortedException if the device is not available
   */
  Device device();

  /** Returns the capabilities after the device's self-test, which may remove some. */
  default Capabilities found() {
    try (Domain domain = device().open()) {
      return domain.capabilities();
    }
  }

  /** Returns the number of connections for {@link ScaleContract}. An override states the reason for a lower number. */
  default int manyConnections() {
    return 50;
  }

  default int roundTrips() {
    return 2000;
  }
}
