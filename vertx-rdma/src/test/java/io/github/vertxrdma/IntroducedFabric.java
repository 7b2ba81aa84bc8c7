package io.github.vertxrdma;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.devices.forward.ForwardingDevice;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import java.util.Set;

/** An in-memory fabric whose device has no listeners, as InfiniBand and RoCE devices have none where the connection manager may not be used. */
final class IntroducedFabric {
  private IntroducedFabric() {
  }

  /** Devices of that fabric that are found from now on have none. */
  static void named(String name) {
    InMemoryFabric.named(name).inFront(WithoutListeners::new);
  }

  private static final class WithoutListeners extends ForwardingDevice {
    WithoutListeners(Device device) {
      super(device, device.name());
    }

    @Override
    protected Capabilities change(Capabilities capabilities) {
      return capabilities.connectsBy(Connecting.EXCHANGE) ? capabilities.toBuilder().connecting(Set.of(Connecting.EXCHANGE)).build() : capabilities;
    }
  }
}
