package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import org.junit.jupiter.api.extension.ExtendWith;

/** The part of the contract that the test class of a provider implements. */
@ExtendWith(LeakCheck.class)
public interface ContractFixture {

  /**
   * Returns the device under test, always the same object.
   *
   * @throws org.opentest4j.TestAbortedException with the device and the reason if it is not available; {@link Devices} throws it
   */
  Device device();

  /** Returns the capabilities that the self-test of the device finds. They can be fewer than the device advertises. */
  default Capabilities found() {
    try (Domain domain = device().open()) {
      return domain.capabilities();
    }
  }

  /**
   * Returns the number of connections that {@link ScaleContract} makes on one completion queue. An override has a lower number for a device
   * with a lower limit, and a comment with the reason.
   */
  default int manyConnections() {
    return 50;
  }

  /** Returns the number of round trips of the tests that look for a lost wake-up. */
  default int roundTrips() {
    return 2000;
  }
}
