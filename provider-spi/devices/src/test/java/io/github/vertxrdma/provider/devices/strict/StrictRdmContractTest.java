package io.github.vertxrdma.provider.devices.strict;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.ProviderContract;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

class StrictRdmContractTest implements ProviderContract {
  private static final StrictDevice DEVICE =
    StrictDevice.over(InMemoryFabric.create("strict-rdm", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS).rdmDevice());

  @Override
  public Device device() {
    return DEVICE;
  }

  @AfterEach
  void nothingWasViolated() {
    List<String> violations = DEVICE.violations();
    DEVICE.clearViolations();
    assertEquals(List.of(), violations);
  }
}
