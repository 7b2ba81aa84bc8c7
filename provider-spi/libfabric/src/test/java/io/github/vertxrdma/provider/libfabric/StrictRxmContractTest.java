package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.ProviderContract;
import io.github.vertxrdma.provider.devices.strict.StrictDevice;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** The contract with every rule of every fabric on top. */
@Tag("long")
class StrictRxmContractTest implements ProviderContract {
  private static StrictDevice device;

  @Override
  public Device device() {
    if (device == null) {
      device = StrictDevice.over(Devices.require(new LibfabricProvider(), "rxm"));
    }
    return device;
  }

  @AfterEach
  void nothingWasViolated() {
    if (device != null) {
      List<String> violations = device.violations();
      device.clearViolations();
      assertEquals(List.of(), violations);
    }
  }
}
