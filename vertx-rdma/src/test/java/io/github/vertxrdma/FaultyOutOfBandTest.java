package io.github.vertxrdma;

import io.github.vertxrdma.provider.devices.fault.FaultyDevice;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import org.junit.jupiter.api.BeforeAll;

/** Over a device whose completions come late, and which refuses the first posts. */
class FaultyOutOfBandTest extends OutOfBandContract {
  private static final String NAME = "memory-oob-faulty";

  @BeforeAll
  static void faulty() {
    InMemoryFabric.named(NAME).inFront(device -> {
      FaultyDevice faulty = FaultyDevice.over(device, device.name(), 7);
      faulty.faults().delayCompletions(0.3, 3).refusePosts(5);
      return faulty;
    });
  }

  @Override
  String fabric() {
    return NAME;
  }

  @Override
  RdmaOptions options() {
    RdmaOptions options = super.options();
    return options.setSettings(options.getSettings().copy().put("memory.name", NAME));
  }
}
