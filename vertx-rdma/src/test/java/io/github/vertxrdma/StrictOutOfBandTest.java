package io.github.vertxrdma;

import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.provider.devices.strict.StrictDevice;
import org.junit.jupiter.api.BeforeAll;

/** Over a device that keeps to the rules of every fabric at once. */
class StrictOutOfBandTest extends OutOfBandContract {
  private static final String NAME = "memory-oob-strict";

  @BeforeAll
  static void strict() {
    InMemoryFabric.named(NAME).inFront(device -> StrictDevice.over(device, device.name()));
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
