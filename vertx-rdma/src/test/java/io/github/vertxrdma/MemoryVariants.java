package io.github.vertxrdma;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.devices.fault.FaultyDevice;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.provider.devices.strict.StrictDevice;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

final class MemoryVariants {
  /** A device without listeners, like InfiniBand and RoCE devices where the connection manager may not be used. */
  static final String INTRODUCED = "memory-introduced";
  /** A device that enforces the rules of every fabric at once. */
  static final String STRICT = "memory-strict";
  /** A device whose completions come late, and which refuses the first posts. */
  static final String FAULTY = "memory-faulty";

  private static final Map<String, UnaryOperator<Device>> FRONTS = Map.of(INTRODUCED, WithoutListeners::new, STRICT,
    device -> StrictDevice.over(device, device.name()), FAULTY, MemoryVariants::faulty);

  static {
    FRONTS.forEach((name, front) -> InMemoryFabric.named(name).inFront(front));
  }

  private MemoryVariants() {
  }

  static RdmaOptions options(String fabric, RdmaOptions options) {
    return FRONTS.containsKey(fabric) ? options.setSettings(options.getSettings().copy().put("memory.name", fabric)) : options;
  }

  static void removeListeners(String name) {
    InMemoryFabric.named(name).inFront(WithoutListeners::new);
  }

  private static Device faulty(Device device) {
    FaultyDevice faulty = FaultyDevice.over(device, device.name(), 7);
    faulty.faults().delayCompletions(0.3, 3).refusePosts(5);
    return faulty;
  }

  private static final class WithoutListeners extends ForwardingDevice {
    WithoutListeners(Device device) {
      super(device, device.name());
    }

    @Override
    protected Capabilities change(Capabilities capabilities) {
      return capabilities.connectsBy(Connecting.EXCHANGE) ? capabilities.toBuilder().connecting(Set.of(Connecting.EXCHANGE)).build()
        : capabilities;
    }
  }
}
