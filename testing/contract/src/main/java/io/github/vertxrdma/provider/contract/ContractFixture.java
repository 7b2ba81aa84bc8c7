package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import org.junit.jupiter.api.extension.ExtendWith;

/** Support that a provider's test class gives to the contract. */
@ExtendWith(LeakCheck.class)
public interface ContractFixture {

  /**
   * The device under test, the same one every time.
   *
   * @throws org.opentest4j.TestAbortedException naming the device and the reason if it is not here; {@link Devices} does so
   */
  Device device();

  /** Capabilities that the device's self-test finds, which can be fewer than it says of itself. */
  default Capabilities found() {
    try (Domain domain = device().open()) {
      return domain.capabilities();
    }
  }

  /**
   * Connections that {@link ScaleContract} makes at once on one completion queue. Lower where the device's own limit is lower, and say
   * why.
   */
  default int manyConnections() {
    return 50;
  }

  /** Round trips of the tests that look for a lost wake-up. */
  default int roundTrips() {
    return 2000;
  }
}
