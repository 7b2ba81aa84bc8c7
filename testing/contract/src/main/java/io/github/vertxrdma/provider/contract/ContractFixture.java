package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
public interface ContractFixture {

  /**
   * Returns always the same object.
   *
   * @throws org.opentest4j.TestAbortedException if the device is not available
   */
  Device device();

  /** Returns what the device's self-test finds, which can be less than it advertises. */
  default Capabilities found() {
    try (Domain domain = device().open()) {
      return domain.capabilities();
    }
  }

  /** Returns the connections for {@link ScaleContract}; an override for a device with a lower limit gives the reason. */
  default int manyConnections() {
    return 50;
  }

  default int roundTrips() {
    return 2000;
  }
}
