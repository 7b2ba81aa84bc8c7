package io.github.vertxrdma.provider.devices.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.ProviderContract;
import io.github.vertxrdma.provider.devices.fault.FaultyDevice;
import io.github.vertxrdma.provider.devices.strict.StrictDevice;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;

@OverFabrics(value = {"memory", "memory-rdm"}, full = {"delayed", "strict", "strict-rdm"})
class InMemoryContractTest implements ProviderContract {
  private static final Map<String, Device> DEVICES = new HashMap<>();

  @Parameter
  private String name;

  private static Device create(String name) {
    InMemoryFabric fabric = InMemoryFabric.create(name, InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    return switch (name) {
      case "memory" -> fabric.device();
      case "memory-rdm" -> fabric.rdmDevice();
      case "delayed" -> {
        FaultyDevice delayed = FaultyDevice.over(fabric.device(), 11);
        delayed.faults().delayCompletions(0.3, 5);
        yield delayed;
      }
      case "strict" -> StrictDevice.over(fabric.device());
      default -> StrictDevice.over(fabric.rdmDevice());
    };
  }

  @Override
  public Device device() {
    return DEVICES.computeIfAbsent(name, InMemoryContractTest::create);
  }

  @AfterEach
  void strictDeviceFindsNoViolation() {
    if (device() instanceof StrictDevice strict) {
      List<String> violations = strict.violations();
      strict.clearViolations();
      assertEquals(List.of(), violations);
    }
  }
}
